// One time for all nodes: that of their shared database. Expiry must not depend on the node that handles a request, and
// the clock of a node may be wrong, or be set while it runs.
import type { Clock } from '@bowline/base/clock'

/** Below this the difference is network latency; correcting it would only add noise. */
const TOLERANCE_MS = 1_000
const INTERVAL_MS = 60_000
const LATE_MS = 2_000

export interface SharedClock {
  readonly clock: Clock
  readonly stop: () => void
}

/**
 * Creates a clock with the time of a reference and the timers of `own`. Reads the reference every minute, and when the
 * own time has jumped.
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
  let isKnown = false
  /** Own time less the time that has passed. It changes when the machine's clock is set, or the machine was suspended. */
  let base = own.now() - own.monotonic()

  async function measure(): Promise<void> {
    const asked = own.monotonic()
    const reference = await readReference()
    const tookMs = own.monotonic() - asked
    // An answer is of some moment in between: a late one says too little.
    if (isKnown && tookMs > LATE_MS) return
    isKnown = true
    change(Math.round(reference - base - asked - tookMs / 2))
  }

  function change(to: number): void {
    if (Math.abs(to - offsetMs) < TOLERANCE_MS) return
    offsetMs = to
    differs(to)
  }

  function now(): number {
    const step = own.now() - own.monotonic() - base
    if (Math.abs(step) >= TOLERANCE_MS) {
      // A minute with the wrong time would refuse logins. What has passed is right unless the machine was suspended.
      base += step
      change(offsetMs - step)
      void measure().catch(() => undefined)
    }
    return own.now() + offsetMs
  }

  await measure()
  const stop = own.every(INTERVAL_MS, () => void measure().catch(() => undefined))
  const clock: Clock = {
    now,
    monotonic: () => own.monotonic(),
    after: (delayMs, action) => own.after(delayMs, action),
    every: (intervalMs, action) => own.every(intervalMs, action),
  }
  return { clock, stop }
}
