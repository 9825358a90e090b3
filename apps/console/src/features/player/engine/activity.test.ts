import { describe, expect, it } from 'vitest'
import { activityOf } from './activity.ts'

const index = (times: readonly number[], seconds: number) => ({
  state: 'complete' as const,
  indexed: true,
  started_at: '2026-01-01T00:00:00Z',
  ended_at: '2026-01-01T00:00:00Z',
  seconds,
  bytes: times.length * 1_000,
  commands: [],
  keyframes: times.map((time, number) => ({ time, offset: number * 1_000, columns: 80, rows: 24 })),
})

describe('how much a recording says when', () => {
  it('reports the most activity where keyframes are densest', () => {
    const shares = activityOf(index([0, 10, 20, 30, 100, 100.1, 100.2, 100.3, 100.4, 110], 120))
    expect(shares.indexOf(Math.max(...shares))).toBe(100)
    expect(Math.max(...shares)).toBe(1)
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0)
  })

  it('reports none in the silence before the end', () => {
    const times = Array.from({ length: 61 }, (_, number) => number)
    const shares = activityOf({ ...index(times, 60), ended_at: '2026-01-01T00:02:00Z' })
    expect(shares.findLastIndex((share) => share > 0)).toBe(60)
  })

  it('reports no activity when there are too few keyframes', () => {
    expect(activityOf(index([0, 5], 10))).toEqual([])
    expect(activityOf(index([], 0))).toEqual([])
  })
})
