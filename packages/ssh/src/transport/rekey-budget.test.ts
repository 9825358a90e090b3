// Tests how many key exchanges a peer may start.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { expect, test } from 'vitest'
import { RekeyBudget } from './rekey-budget.ts'

/** Number of exchanges granted in a row, at most 200. */
function granted(budget: RekeyBudget, bytes: number): number {
  let count = 0
  while (count < 200 && budget.take(bytes)) count += 1
  return count
}

test('grants two exchanges before the peer has signed in, whatever it sends and however long it waits', () => {
  const clock = new ManualClock()
  const budget = new RekeyBudget(clock)
  expect(granted(budget, 0)).toBe(2)
  clock.advance(100_000)
  expect(granted(budget, 10_000_000)).toBe(0)
})

test('grants 64 at once to a signed-in peer, then one for each second or each 16 KiB', () => {
  const clock = new ManualClock()
  const budget = new RekeyBudget(clock)
  budget.signedIn()
  expect(granted(budget, 0)).toBe(64)
  clock.advance(3_000)
  expect(granted(budget, 0)).toBe(3)
  expect(granted(budget, 5 * 16_384)).toBe(5)
  clock.advance(1e9)
  expect(granted(budget, 1e9)).toBe(64)
})
