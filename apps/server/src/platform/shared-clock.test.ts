import { describe, expect, it } from 'vitest'
import { followClock } from './shared-clock.ts'
import { ManualClock } from '@bowline/base/testing/manual-clock'

const HOUR_MS = 3_600_000

async function following(differenceMs: number) {
  const own = new ManualClock()
  let difference = differenceMs
  let failing = false
  const told: number[] = []
  const reference = () => (failing ? Promise.reject(new Error('away')) : Promise.resolve(own.now() + difference))
  const { clock, stop } = await followClock(own, reference, (offset) => told.push(offset))
  /** A minute passes, with what the clock does in it. */
  const pass = async () => {
    own.advance(60_000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    own,
    clock,
    stop,
    told,
    pass,
    drift: (to: number) => (difference = to),
    fail: () => (failing = true),
  }
}

describe('a clock that follows another one', () => {
  it.each([HOUR_MS, -HOUR_MS])('shows its time, whatever the own clock says: %d', async (difference) => {
    const { own, clock, told } = await following(difference)
    expect(clock.now() - own.now()).toBe(difference)
    expect(told).toEqual([difference])
  })

  it('does not care for less than a second', async () => {
    const { own, clock, told } = await following(999)
    expect([clock.now() - own.now(), told]).toEqual([0, []])
  })

  it('looks again every minute, and stops when told to', async () => {
    const { own, clock, pass, drift, stop, told } = await following(HOUR_MS)
    drift(0)
    await pass()
    expect(clock.now()).toBe(own.now())
    stop()
    drift(HOUR_MS)
    await pass()
    expect([clock.now() - own.now(), told]).toEqual([0, [HOUR_MS, 0]])
  })

  it('keeps what it knows while the other one cannot be asked', async () => {
    const { own, clock, pass, fail } = await following(HOUR_MS)
    fail()
    await pass()
    expect(clock.now() - own.now()).toBe(HOUR_MS)
  })

  it('runs timers of the own clock', async () => {
    const { own, clock } = await following(HOUR_MS)
    const ran: string[] = []
    clock.after(5, () => ran.push('after'))
    own.advance(5)
    expect(ran).toEqual(['after'])
  })
})
