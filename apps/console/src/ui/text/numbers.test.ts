import { NEVER } from '@bowline/contract/schemas/common'
import { expect, it } from 'vitest'
import { formatAgo, formatBytes, formatDuration, formatExactMoment, formatMoment } from './numbers.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const before = (seconds: number) => new Date(NOW - seconds * 1000).toISOString()

it.each([
  [0, 'just now'],
  [59, 'just now'],
  [60, '1 min ago'],
  [3_599, '59 min ago'],
  [7_200, '2 h ago'],
  [86_400, 'yesterday'],
  [86_400 * 45, '1 month ago'],
  [86_400 * 800, '2 years ago'],
])('%d seconds ago reads as %s', (seconds, text) => {
  expect(formatAgo(before(seconds), NOW)).toBe(text)
})

it('formats a moment in the future as now, because clocks differ a little', () => {
  expect(formatAgo(before(-30), NOW)).toBe('just now')
})

it('formats the contract’s zero time as never', () => {
  expect([formatAgo(NEVER, NOW), formatMoment(NEVER)]).toEqual(['never', 'never'])
})

it('names the zone of an exact time', () => {
  expect(formatExactMoment('2026-11-20T12:00:00Z')).toMatch(/2026.* (UTC|GMT|[A-Z]{2,5}([+-]\d+)?)$/)
  expect(formatMoment('2026-11-20T12:00:00Z')).not.toMatch(/UTC|GMT/)
})

it.each([
  [41_900, '41 s'],
  [125_000, '2 min 5 s'],
  [7_500_000, '2 h 5 min'],
  [90_000_000, '1 d 1 h'],
  [-5, '0 s'],
])('%d ms last %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text)
})

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_200_000, '1.2 MB'],
  [5e15, '5,000 TB'],
])('%d bytes read as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
