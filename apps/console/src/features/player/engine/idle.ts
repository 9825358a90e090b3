// Skipping of idle times during playback.

/** A silence of at least this length is idle. */
const IDLE_MS = 2_000
/** Part of the silence played before the skip, so that people notice it. */
const LEAD_IN_MS = 1_000
/** Part of the silence played after the skip, before the next event. */
const LEAD_OUT_MS = 300

/**
 * The time to continue at instead.
 * @param targetMs the clock's next time, in milliseconds like the others
 * @param lastMs time of the last event
 * @param nextMs time of the next one
 */
export function overIdle(targetMs: number, lastMs: number, nextMs: number): number {
  if (nextMs - lastMs <= IDLE_MS || targetMs < lastMs + LEAD_IN_MS) return targetMs
  return Math.max(targetMs, nextMs - LEAD_OUT_MS)
}
