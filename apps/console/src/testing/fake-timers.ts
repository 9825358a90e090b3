// Timers driven by the test.

export interface FakeTimers {
  readonly later: (work: () => void, delayMs: number) => () => void
  readonly now: () => number
  /** Advances the time and runs due timers in order, including ones they start that fall due. */
  advance(milliseconds: number): void
  /** Delays of the pending timers, as requested. */
  readonly waiting: readonly number[]
  /** Due times of the pending timers. */
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
