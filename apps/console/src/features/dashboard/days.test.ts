import { expect, it } from 'vitest'
import { yesterday } from './days.ts'

it.each([
  [new Date(2026, 10, 20, 23, 59), '2026-11-19'],
  [new Date(2026, 2, 1, 0, 0), '2026-02-28'],
  [new Date(2026, 0, 1, 12, 0), '2025-12-31'],
])('the day before %s is %s', (now, day) => {
  expect(yesterday(now.getTime())).toBe(day)
})
