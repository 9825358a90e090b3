import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inOrder, prioritiesFor } from './order.ts'

const rule = (id: number, priority: number) => ({ id, priority })
const ids = (rules: readonly { id: number }[]) => rules.map(({ id }) => id)

describe('order of firewall rules', () => {
  it('sorts rules by descending priority, newest first among equals', () => {
    expect(ids(inOrder([rule(1, 5), rule(2, 9), rule(3, 5)]))).toEqual([2, 3, 1])
  })

  it('reuses distinct priorities and leaves rules that keep their position unchanged', () => {
    const rules = [rule(1, 300), rule(2, 20), rule(3, 7), rule(4, 0)]
    expect([...prioritiesFor(rules, [1, 3, 2, 4])]).toEqual([
      [3, 20],
      [2, 7],
    ])
  })

  it('produces the requested order from any initial priorities', () => {
    const cases = fc
      .uniqueArray(fc.record({ id: fc.integer({ min: 1, max: 99 }), priority: fc.nat(6) }), {
        maxLength: 9,
        selector: ({ id }) => id,
      })
      .chain((rules) =>
        fc.record({ rules: fc.constant(rules), wished: fc.shuffledSubarray(ids(rules), { minLength: rules.length }) }),
      )
    fc.assert(
      fc.property(cases, ({ rules, wished }) => {
        const changed = prioritiesFor(inOrder(rules), wished)
        const after = rules.map(({ id, priority }) => rule(id, changed.get(id) ?? priority))
        expect(ids(inOrder(after))).toEqual(wished)
        for (const { priority } of after) expect(priority).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})
