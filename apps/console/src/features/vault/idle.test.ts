import { describe, expect, it } from 'vitest'
import { createIdleWatch } from './idle.ts'

/** A wall clock and one timer, both moved by hand: they may drift apart, as in a computer that sleeps. */
function idleWatch() {
  const at = { now: 1_000_000, idle: 0 }
  let timer: { work: () => void; at: number } | undefined
  const watch = createIdleWatch({
    now: () => at.now,
    later(work, delayMs) {
      timer = { work, at: at.now + delayMs }
      return () => (timer = undefined)
    },
    onIdle: () => (at.idle += 1),
  })
  const pass = (minutes: number) => {
    at.now += minutes * 60_000
    const due = timer && timer.at <= at.now ? timer : undefined
    if (!due) return
    timer = undefined
    due.work()
  }
  return { watch, at, pass, sleep: (minutes: number) => (at.now += minutes * 60_000) }
}

describe('idleness', () => {
  it('is told once after the minutes without input', () => {
    const { watch, at, pass } = idleWatch()
    watch.start(5)
    pass(4)
    expect(at.idle).toBe(0)
    pass(1)
    pass(60)
    expect(at.idle).toBe(1)
  })

  it('is put off by input', () => {
    const { watch, at, pass } = idleWatch()
    watch.start(5)
    pass(4)
    watch.touch()
    pass(4)
    expect(at.idle).toBe(0)
    pass(1)
    expect(at.idle).toBe(1)
  })

  it('is not undone by input after a sleep in which no timer ran', () => {
    const { watch, at, sleep } = idleWatch()
    watch.start(5)
    sleep(600)
    watch.touch()
    expect(at.idle).toBe(1)
  })

  it('never comes with 0 minutes, or after the end', () => {
    const { watch, at, pass } = idleWatch()
    watch.start(0)
    pass(1_000)
    watch.start(5)
    watch.stop()
    pass(1_000)
    expect(at.idle).toBe(0)
  })
})
