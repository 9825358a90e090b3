// The clock of the server's tests.
import { ManualClock } from '@bowline/base/testing/manual-clock'

export type FakeClock = ManualClock

/** @param start milliseconds since the epoch */
export function fakeClock(start?: number): FakeClock {
  return new ManualClock(start)
}
