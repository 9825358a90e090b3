import { array, assert, double, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { median, pairedRatios, percentile, spreadOf } from './statistics.ts'

const values = array(double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 })

describe('the median', () => {
  it('returns the middle of an odd count and the mean of the two middle ones of an even count', () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([9, 1, 5, 3])).toBe(4)
    expect(median([7])).toBe(7)
  })

  it('sorts numerically, not as text', () => {
    expect(median([100, 9, 20])).toBe(20)
  })

  it('does not modify its input', () => {
    const given = [3, 1, 2]
    median(given)
    expect(given).toEqual([3, 1, 2])
  })

  it('lies between minimum and maximum', () => {
    assert(
      property(values, (given) => {
        const { least, most, median: middle } = spreadOf(given)
        expect(middle).toBeGreaterThanOrEqual(least)
        expect(middle).toBeLessThanOrEqual(most)
      }),
    )
  })

  it('throws without values', () => {
    expect(() => median([])).toThrow(RangeError)
  })
})

describe('a percentile', () => {
  it('returns the measured value at the share', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
    expect(percentile(hundred, 0.5)).toBe(50)
    expect(percentile(hundred, 0.99)).toBe(99)
    expect(percentile(hundred, 1)).toBe(100)
    expect(percentile([4], 0.01)).toBe(4)
  })

  it('covers at least its share of the values', () => {
    assert(
      property(values, double({ min: 0.01, max: 1, noNaN: true }), (given, share) => {
        const bound = percentile(given, share)
        expect(given.filter((value) => value <= bound).length).toBeGreaterThanOrEqual(share * given.length)
        expect(given).toContain(bound)
      }),
    )
  })
})

describe('paired ratios', () => {
  it('divides each value by the peer measured next to it', () => {
    expect(pairedRatios([2, 30], [4, 10])).toEqual([0.5, 3])
  })

  it('rejects values without a peer and peers of zero', () => {
    expect(() => pairedRatios([1, 2], [1])).toThrow('2 values have 1 peers')
    expect(() => pairedRatios([1], [0])).toThrow('a ratio to 0 says nothing')
    expect(() => pairedRatios([], [])).toThrow(RangeError)
  })
})
