import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_PRIORITY, inOrder, planMove, topPriority } from './order.ts'

const rule = (id: number, priority: number) => ({ id, priority })
const ids = (rules: readonly { id: number }[]) => rules.map(({ id }) => id)

describe('the order of rules', () => {
  it('is by falling priority, of equal ones the newest first', () => {
    expect(ids(inOrder([rule(1, 5), rule(2, 9), rule(3, 5)]))).toEqual([2, 3, 1])
  })

  it('has room above for a new rule', () => {
    expect(topPriority(inOrder([rule(1, 7), rule(2, 3)]))).toBeGreaterThan(7)
    expect(topPriority([])).toBeGreaterThan(0)
    expect(topPriority([rule(1, MAX_PRIORITY)])).toBe(MAX_PRIORITY)
  })
})

describe('moving a rule', () => {
  it('changes one rule where there is room', () => {
    expect(planMove([rule(1, 30), rule(2, 20), rule(3, 10)], 2, 1)).toHaveLength(1)
  })

  it('says so when there is no room above', () => {
    expect(planMove([rule(2, MAX_PRIORITY), rule(1, MAX_PRIORITY)], 1, 0)).toBeUndefined()
  })

  it('ends with the wished order, and never swaps two rules that are not moved', () => {
    const rules = fc.uniqueArray(fc.record({ id: fc.integer({ min: 1, max: 99 }), priority: fc.nat(6) }), {
      minLength: 2,
      maxLength: 9,
      selector: ({ id }) => id,
    })
    fc.assert(
      fc.property(rules, fc.nat(), fc.nat(), (given, a, b) => {
        let current = inOrder(given)
        const [from, to] = [a % current.length, b % current.length]
        const wished = ids(current)
        const [moved = 0] = wished.splice(from, 1)
        const others = [...wished]
        wished.splice(to, 0, moved)
        for (const change of planMove(current, from, to) ?? []) {
          expect(change.priority).toBeGreaterThanOrEqual(0)
          current = inOrder(current.map((each) => (each.id === change.id ? { ...each, ...change } : each)))
          expect(ids(current).filter((id) => id !== moved)).toEqual(others)
        }
        expect(ids(current)).toEqual(wished)
      }),
    )
  })
})
