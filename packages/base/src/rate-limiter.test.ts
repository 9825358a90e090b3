import { expect, it } from 'vitest'
import { RateLimiter } from './rate-limiter.ts'
import { ManualClock } from './testing/manual-clock.ts'

it('grants a burst, then what comes back with time', () => {
  const clock = new ManualClock()
  const limiter = new RateLimiter(clock, { perSecond: 2, burst: 3 })
  const take = (times: number) => Array.from({ length: times }, () => limiter.take('a'))
  expect(take(4)).toEqual([true, true, true, false])
  clock.advance(1_000)
  expect(take(3)).toEqual([true, true, false])
  clock.advance(3_600_000)
  expect(take(4)).toEqual([true, true, true, false])
})

it('counts every key by itself', () => {
  const limiter = new RateLimiter(new ManualClock(), { perSecond: 1, burst: 1 })
  expect([limiter.take('a'), limiter.take('b'), limiter.take('a')]).toEqual([true, true, false])
})

it('gives back a refunded token', () => {
  const limiter = new RateLimiter(new ManualClock(), { perSecond: 1, burst: 1 })
  limiter.take('a')
  limiter.refund('a')
  expect([limiter.has('a'), limiter.take('a'), limiter.has('a')]).toEqual([true, true, false])
})

it('evicts the least recently used key when there are too many', () => {
  const limiter = new RateLimiter(new ManualClock(), { perSecond: 0.001, burst: 1 })
  limiter.take('first')
  limiter.take('second')
  expect(limiter.take('first')).toBe(false)
  for (let i = 0; i < 49_999; i += 1) limiter.take(`key${i}`)
  expect(limiter.take('first')).toBe(false)
  expect(limiter.take('second')).toBe(true)
})
