import { describe, expect, it } from 'vitest'
import { followClock } from './shared-clock.ts'
import { ManualClock } from '@bowline/base/testing/manual-clock'

const HOUR_MS = 3_600_000

async function following(differenceMs: number) {
  const own = new ManualClock()
  let difference = differenceMs
  let failing = false
  const reported: number[] = []
  const reference = () => (failing ? Promise.reject(new Error('away')) : Promise.resolve(own.now() + difference))
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

  it('runs timers on the own clock', async () => {
    const { own, clock } = await following(HOUR_MS)
    const ran: string[] = []
    clock.after(5, () => ran.push('after'))
    own.advance(5)
    expect(ran).toEqual(['after'])
  })
})
