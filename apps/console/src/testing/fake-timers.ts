// Time that moves only when a test says so.

export interface FakeTimers {
  readonly later: (work: () => void, delayMs: number) => () => void
  readonly now: () => number
  /** Moves time forward and runs what falls due, in order; what that work starts may fall due as well. */
  advance(milliseconds: number): void
  /** Delays of what waits, as they were asked for. */
  readonly waiting: readonly number[]
  /** When what waits falls due. */
  readonly dueAt: readonly number[]
}

export function createFakeTimers(startMs = 0): FakeTimers {
  let nowMs = startMs
  let plans: { at: number; delayMs: number; work: () => void }[] = []
  return {
    now: () => nowMs,
    later(work, delayMs) {
      const plan = { at: nowMs + delayMs, delayMs, work }
      plans.push(plan)
      return () => {
        plans = plans.filter((other) => other !== plan)
      }
    },
    advance(milliseconds) {
      const end = nowMs + milliseconds
      for (;;) {
        const next = plans.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0]
        if (!next) break
        plans = plans.filter((other) => other !== next)
        nowMs = next.at
        next.work()
      }
      nowMs = end
    },
    get waiting() {
      return plans.map(({ delayMs }) => delayMs)
    },
    get dueAt() {
      return plans.map(({ at }) => at)
    },
  }
}
