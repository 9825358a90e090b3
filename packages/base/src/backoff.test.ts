import { array, assert, double, property } from 'fast-check'
import { expect, it } from 'vitest'
import { Backoff } from './backoff.ts'

const BOUNDS = { baseMs: 500, capMs: 30_000 }

it('doubles the bound of each wait up to the cap, and starts again after a reset', () => {
  const longest = new Backoff({ ...BOUNDS, random: () => 1 })
  expect(Array.from({ length: 9 }, () => longest.next())).toEqual([
    500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
  ])
  longest.reset()
  expect(longest.next()).toBe(500)
})

it('never waits less than the least share of the bound', () => {
  const shortest = new Backoff({ ...BOUNDS, leastShare: 0.5, random: () => 0 })
  expect([shortest.next(), shortest.next()]).toEqual([250, 500])
})

it('never waits a negative time or longer than the cap, after any number of failures', () => {
  assert(
    property(array(double({ min: 0, max: 1, noNaN: true }), { maxLength: 2_000 }), (draws) => {
      const rest = [...draws]
      const backoff = new Backoff({ ...BOUNDS, random: () => rest.pop() ?? 0 })
      const waits = draws.map(() => backoff.next())
      expect(waits.filter((ms) => ms < 0 || ms > 30_000)).toEqual([])
    }),
    { numRuns: 50 },
  )
})
