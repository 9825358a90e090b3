import { describe, expect, it } from 'vitest'
import { type Target, verdictOf } from './row.ts'

const verdict = (median: number, target?: Target) =>
  verdictOf({ measured: { median, least: median, most: median }, ...(target ? { target } : {}) })

describe('the verdict', () => {
  it('judges rates: more is better, and meeting a bound exactly counts', () => {
    const target: Target = { better: 'more', must: 0.75, aim: 1 }
    expect([0.74, 0.75, 0.99, 1, 2].map((value) => verdict(value, target))).toEqual([
      'miss',
      'must',
      'must',
      'aim',
      'aim',
    ])
  })

  it('judges times: less is better', () => {
    const target: Target = { better: 'less', must: 15, aim: 5 }
    expect([15.1, 15, 5, 0].map((value) => verdict(value, target))).toEqual(['miss', 'must', 'aim', 'aim'])
  })

  it('judges NaN a miss, and gives no verdict without a target', () => {
    expect(verdict(Number.NaN, { better: 'less', must: 15, aim: 5 })).toBe('miss')
    expect(verdict(Number.NaN, { better: 'more', must: 15, aim: 50 })).toBe('miss')
    expect(verdict(1)).toBe('none')
  })
})
