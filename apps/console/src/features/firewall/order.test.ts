import { describe, expect, it } from 'vitest'
import type { Rule } from '@bowline/contract/schemas/firewall'
import { MAX_PRIORITY, inOrder, indexOfLast, topPriority } from './order.ts'

const rule = (id: number, priority: number) => ({ id, priority })
const ids = (rules: readonly { id: number }[]) => rules.map(({ id }) => id)

describe('the order of rules', () => {
  it('orders rules by falling priority, ties newest first', () => {
    expect(ids(inOrder([rule(1, 5), rule(2, 9), rule(3, 5)]))).toEqual([2, 3, 1])
  })

  it('leaves room above for a new rule', () => {
    expect(topPriority(inOrder([rule(1, 7), rule(2, 3)]))).toBeGreaterThan(7)
    expect(topPriority([])).toBeGreaterThan(0)
    expect(topPriority([rule(1, MAX_PRIORITY)])).toBe(MAX_PRIORITY)
  })

  it('does not take a rule for networks or people for one that matches everything', () => {
    const all = {
      active: true,
      source_ip: '.*',
      source_networks: [] as string[],
      username: '.*',
      people: [],
      roles: [],
      filter: { hostname: '.*' },
    } as unknown as Rule
    expect(indexOfLast([{ ...all, source_networks: ['10.0.0.0/8'] }, { ...all, roles: ['owner'] }, all])).toBe(2)
  })
})
