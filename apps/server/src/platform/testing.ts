// A clock that tests move. Invariant: nothing happens between two calls of `advance`.
import type { Clock } from './clock.ts'

export interface FakeClock extends Clock {
  /**
   * Lets time pass and runs what becomes due, in order. An interval that became due several times runs once, as in a
   * process that slept.
   */
  advance(ms: number): void
}

/** @param start milliseconds since the epoch */
export function fakeClock(start = Date.parse('2026-11-20T10:00:00Z')): FakeClock {
  let now = start
  const timers = new Set<{ at: number; readonly intervalMs: number | undefined; readonly action: () => void }>()
  const add = (delayMs: number, intervalMs: number | undefined, action: () => void) => {
    const timer = { at: now + Math.max(0, delayMs), intervalMs, action }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  return {
    now: () => now,
    after: (delayMs, action) => add(delayMs, undefined, action),
    every: (intervalMs, action) => add(intervalMs, intervalMs, action),
    advance(ms) {
      const end = now + ms
      for (;;) {
        const [next] = [...timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)
        if (!next) break
        now = next.at
        if (next.intervalMs === undefined) timers.delete(next)
        else next.at += next.intervalMs * Math.ceil((end + 1 - next.at) / next.intervalMs)
        next.action()
      }
      now = end
    },
  }
}
