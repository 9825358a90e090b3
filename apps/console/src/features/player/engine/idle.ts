// Times at which nothing happens, and how a player passes over them.

/** Silence of this length is idle. */
const IDLE_MS = 2_000
/** How long of it is played before the rest is skipped, so that people see that there was some. */
const LEAD_IN_MS = 1_000
/** And before the next event. */
const LEAD_OUT_MS = 300

/**
 * Where to play on instead.
 * @param targetMs where the clock would be, in milliseconds like the others
 * @param lastMs time of the last event
 * @param nextMs time of the next one
 */
export function overIdle(targetMs: number, lastMs: number, nextMs: number): number {
  if (nextMs - lastMs <= IDLE_MS || targetMs < lastMs + LEAD_IN_MS) return targetMs
  return Math.max(targetMs, nextMs - LEAD_OUT_MS)
}
