// Times of renewals, of further attempts and of warnings.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { askDelayMs, renewalTime, renewalTimeWithin, retryDelayMs, stateOf } from './schedule.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const QUARTER = { from: 0, to: 90 * DAY }

describe('a renewal', () => {
  it('is due after two thirds of the life, spread a little', () => {
    expect(renewalTime(QUARTER, 0)).toBe(60 * DAY)
    expect(renewalTime(QUARTER, 1) / DAY).toBeCloseTo(61.8)
    expect(renewalTime({ from: 0, to: 6 * DAY }, 0)).toBe(4 * DAY)
  })

  it('is within the window of the authority, but never in the last tenth of the life', () => {
    const window = { start: 50 * DAY, end: 52 * DAY }
    expect(renewalTimeWithin(window, QUARTER, 0.5)).toBe(51 * DAY)
    expect(renewalTimeWithin({ start: 200 * DAY, end: 300 * DAY }, QUARTER, 0)).toBe(81 * DAY)
    expect(renewalTimeWithin({ start: 5, end: 1 }, QUARTER, 0.9)).toBe(5)
  })

  it('is asked for neither too often nor too seldom', () => {
    expect([0, 1, HOUR, 9 * DAY].map(askDelayMs)).toEqual([6 * HOUR, 15 * MINUTE, HOUR, DAY])
  })
})

describe('a failed attempt', () => {
  it('is repeated at most five times in an hour where the authority counts it', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 5, maxLength: 5 }), (random) => {
        const waits = random.map((one, index) => retryDelayMs(index + 1, { isRefusal: true, waitMs: 0 }, one))
        expect(waits.slice(0, 4).reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(HOUR)
      }),
    )
  })

  it('is repeated soon where nobody counts it, and never later than after six hours', () => {
    expect(retryDelayMs(1, { isRefusal: false, waitMs: 0 }, 1)).toBe(MINUTE / 2)
    expect(retryDelayMs(100, { isRefusal: false, waitMs: 0 }, 1)).toBe(6 * HOUR)
  })

  it('waits for as long as the authority asks for, within a week', () => {
    expect(retryDelayMs(1, { isRefusal: true, waitMs: 2 * DAY }, 0)).toBe(2 * DAY)
    expect(retryDelayMs(1, { isRefusal: true, waitMs: 900 * DAY }, 0)).toBe(7 * DAY)
  })
})

it('a certificate is worth a warning in its last two weeks, or in the last quarter of a short life', () => {
  expect(stateOf(undefined, 0)).toBe('missing')
  expect([75, 77, 90].map((day) => stateOf(QUARTER, day * DAY))).toEqual(['valid', 'ending', 'expired'])
  expect([4, 5].map((day) => stateOf({ from: 0, to: 6 * DAY }, day * DAY))).toEqual(['valid', 'ending'])
})
