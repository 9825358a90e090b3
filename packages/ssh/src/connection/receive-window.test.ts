// Tests that the receive window is exact: nothing is granted that was not consumed, and growth stays within its budget.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { GrowthBudget, ReceiveWindow } from './receive-window.ts'

test('grants exactly what was consumed, and never opens more than the size', () => {
  const step = fc.tuple(fc.integer({ min: 0, max: 32_768 }), fc.integer({ min: 0, max: 60_000 }))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200_000 }), fc.array(step, { maxLength: 100 }), (size, steps) => {
      const window = new ReceiveWindow(size, size, new GrowthBudget(0), () => 0)
      let open = size
      let held = 0
      for (const [arrives, consumes] of steps) {
        const bytes = Math.min(arrives, open)
        window.received(bytes)
        open -= bytes
        held += bytes
        held -= Math.min(consumes, held)
        open += window.consumed(consumes)
        expect(open + held).toBeLessThanOrEqual(size)
      }
      open += window.consumed(held)
      // At most the part below the threshold of one adjustment is still outstanding.
      expect(open).toBeGreaterThan(size - size / 4 - 1)
    }),
  )
})

test('grants in advance only when less than a packet is open, and takes it back from what is consumed', () => {
  const window = new ReceiveWindow(100_000, 100_000, new GrowthBudget(0), () => 0)
  for (const bytes of [30_000, 30_000]) window.received(bytes)
  expect(window.advance()).toBe(0)
  window.received(30_000)
  expect(window.consumed(20_000)).toBe(0)
  expect(window.advance()).toBe(131_072 + 20_000)
  expect(window.consumed(70_000)).toBe(0)
  for (let sent = 0; sent < 160_000; sent += 20_000) window.received(20_000)
  expect(window.consumed(70_000)).toBe(0)
  expect(window.consumed(30_000)).toBe(70_000 + 70_000 + 30_000 - 131_072)
})

/** Sends and consumes `bytes` in steps of a tenth of the start size; returns the growth granted. */
function transfer(window: ReceiveWindow, bytes: number, tick: () => void): number {
  let grown = 0
  let owed = 0
  for (let done = 0; done < bytes; done += 1_000) {
    window.received(1_000)
    owed += 1_000
    const granted = window.consumed(1_000)
    if (granted > 0) {
      grown += granted - owed
      owed = 0
    }
    tick()
  }
  return grown
}

test('grows for a fast transfer up to the maximum, and releases the growth', () => {
  let now = 0
  const budget = new GrowthBudget(1_000_000)
  const window = new ReceiveWindow(10_000, 40_000, budget, () => now)
  const grown = transfer(window, 300_000, () => {
    now += 1
  })
  expect(grown).toBe(30_000)
  expect(budget.take(1_000_000)).toBe(970_000)
  window.release()
  expect(budget.take(1_000_000)).toBe(30_000)
})

test('does not grow for a slow transfer', () => {
  let now = 0
  const window = new ReceiveWindow(10_000, 40_000, new GrowthBudget(1_000_000), () => now)
  const grown = transfer(window, 300_000, () => {
    now += 500
  })
  expect(grown).toBe(0)
})

test('grows all windows of a connection from one budget', () => {
  const budget = new GrowthBudget(35_000)
  const grown = [1, 2, 3].map(() =>
    transfer(new ReceiveWindow(10_000, 40_000, budget, () => 0), 300_000, () => undefined),
  )
  expect(grown).toEqual([30_000, 5_000, 0])
})
