import { expect, it } from 'vitest'
import { formatMeasure, topOf } from './values.ts'

it('a disk with little left is not shown as full', () => {
  expect(formatMeasure('disk', 99.9)).toBe('99%')
  expect(formatMeasure('disk', 100)).toBe('100%')
})

it('percents are rounded as those of the history', () => {
  expect([21.8, 21.4].map((value) => formatMeasure('disk', value))).toEqual(['22%', '21%'])
})

it('load and times have their own units', () => {
  expect(formatMeasure('load', 0.254)).toBe('0.25')
  expect(formatMeasure('load', 250.4)).toBe('250')
  expect(formatMeasure('latency_ms', 31.4)).toBe('31 ms')
})

it('a chart of percent ends at 100, others at their highest value', () => {
  expect(topOf('memory', [1, 2])).toBe(100)
  expect(topOf('load', [0.1])).toBe(1)
  expect(topOf('load', [0.1, 7])).toBe(7)
  expect(topOf('latency_ms', [3])).toBe(10)
})
