import { describe, expect, it } from 'vitest'
import { followClock } from './shared-clock.ts'
import { ManualClock } from '@bowline/base/testing/manual-clock'

const HOUR_MS = 3_600_000

async function following(differenceMs: number) {
  const own = new ManualClock()
  let difference = differenceMs
  let failing = false
  const reported: number[] = []
  const begun = own.now()
  const trueTime = () => begun + own.monotonic() + difference
  const reference = () => (failing ? Promise.reject(new Error('away')) : Promise.resolve(trueTime()))
  const { clock, stop } = await followClock(own, reference, (offset) => reported.push(offset))
  /** Advances a minute and lets the clock react. */
  const pass = async () => {
    own.advance(60_000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    own,
    clock,
    stop,
    reported,
    pass,
    trueTime,
    drift: (to: number) => (difference = to),
    fail: () => (failing = true),
  }
}

describe('followClock', () => {
  it.each([HOUR_MS, -HOUR_MS])('shows the reference time with an own clock off by %d ms', async (difference) => {
    const { own, clock, reported } = await following(difference)
    expect(clock.now() - own.now()).toBe(difference)
    expect(reported).toEqual([difference])
  })

  it('ignores a difference below one second', async () => {
    const { own, clock, reported } = await following(999)
    expect([clock.now() - own.now(), reported]).toEqual([0, []])
  })

  it('checks the reference every minute until stopped', async () => {
    const { own, clock, pass, drift, stop, reported } = await following(HOUR_MS)
    drift(0)
    await pass()
    expect(clock.now()).toBe(own.now())
    stop()
    drift(HOUR_MS)
    await pass()
    expect([clock.now() - own.now(), reported]).toEqual([0, [HOUR_MS, 0]])
  })

  it('keeps the last offset while the reference is unavailable', async () => {
    const { own, clock, pass, fail } = await following(HOUR_MS)
    fail()
    await pass()
    expect(clock.now() - own.now()).toBe(HOUR_MS)
  })

  it.each([HOUR_MS, -HOUR_MS])('does not move when the own clock is set by %d ms', async (step) => {
    const { own, clock, trueTime, pass, reported } = await following(0)
    own.step(step)
    expect(clock.now()).toBe(trueTime())
    await pass()
    expect([clock.now(), reported]).toEqual([trueTime(), [-step]])
  })

  it('believes no answer that took so long that it may be of any moment', async () => {
    const own = new ManualClock()
    const answers: PromiseWithResolvers<number>[] = []
    const ask = () => (answers.push(Promise.withResolvers<number>()), answers.at(-1)?.promise ?? Promise.reject())
    const following = followClock(own, ask, () => undefined)
    answers[0]?.resolve(own.now())
    const { clock } = await following
    own.advance(60_000)
    const asked = own.now()
    own.advance(20_000)
    answers[1]?.resolve(asked)
    await new Promise((resolve) => setImmediate(resolve))
    expect(clock.now()).toBe(own.now())
  })

  it('asks the reference at once when the own clock has moved without time passing, as after a suspension', async () => {
    const { own, clock, trueTime, drift } = await following(0)
    own.step(HOUR_MS)
    drift(HOUR_MS)
    clock.now()
    await new Promise((resolve) => setImmediate(resolve))
    expect(clock.now()).toBe(trueTime())
  })

  it('runs timers on the own clock', async () => {
    const { own, clock } = await following(HOUR_MS)
    const ran: string[] = []
    clock.after(5, () => ran.push('after'))
    own.advance(5)
    expect(ran).toEqual(['after'])
  })
})
