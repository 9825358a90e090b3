// One time for all nodes: that of their shared database. Expiry must not depend on the node that handles a request, and
// the clock of a node may be wrong.
import type { Clock } from '@bowline/base/clock'

/** Below this the difference is network latency; correcting it would only add noise. */
const TOLERANCE_MS = 1_000
const INTERVAL_MS = 60_000

export interface SharedClock {
  readonly clock: Clock
  readonly stop: () => void
}

/**
 * Creates a clock with the time of a reference and the timers of `own`.
 * @param readReference milliseconds since the epoch by the reference; its first failure is thrown, after later ones the
 *   last known difference holds
 * @param differs called with the difference in milliseconds when it has changed by more than the tolerance
 */
export async function followClock(
  own: Clock,
  readReference: () => Promise<number>,
  differs: (offsetMs: number) => void,
): Promise<SharedClock> {
  let offsetMs = 0
  const measure = async (): Promise<void> => {
    const asked = own.now()
    const reference = await readReference()
    const measured = Math.round(reference - (asked + own.now()) / 2)
    if (Math.abs(measured - offsetMs) < TOLERANCE_MS) return
    offsetMs = measured
    differs(offsetMs)
  }
  await measure()
  const stop = own.every(INTERVAL_MS, () => void measure().catch(() => undefined))
  const clock: Clock = {
    now: () => own.now() + offsetMs,
    monotonic: () => own.monotonic(),
    after: (delayMs, action) => own.after(delayMs, action),
    every: (intervalMs, action) => own.every(intervalMs, action),
  }
  return { clock, stop }
}
