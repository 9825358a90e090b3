import { describe, expect, it } from 'vitest'
import type { Rule } from '@bowline/contract/schemas/firewall'
import { MAX_PRIORITY, inOrder, shadows, topPriority } from './order.ts'

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

  describe('finds rules that never apply', () => {
    const all = {
      active: true,
      source_ip: '.*',
      source_networks: [] as string[],
      username: '.*',
      people: [],
      roles: [],
      filter: { hostname: '.*' },
    } as unknown as Rule
    const root = { ...all, username: '^root$' }

    it('below one that matches everything, unless that is switched off', () => {
      expect(shadows([all, root, all])).toEqual([undefined, 0, 0])
      expect(shadows([{ ...all, active: false }, root])).toEqual([undefined, undefined])
    })

    it('below one that is wider in one respect and the same in the others', () => {
      const lan = { ...root, source_networks: ['10.0.0.0/8'] }
      const tagged = { ...lan, filter: { tags: ['lab'] } } as Rule
      expect(shadows([lan, tagged])).toEqual([undefined, 0])
      expect(shadows([tagged, lan])).toEqual([undefined, undefined])
      expect(shadows([lan, { ...tagged, username: '^ada$' }, root])).toEqual([undefined, undefined, undefined])
    })

    it('but none below a rule for networks or people only', () => {
      expect(shadows([{ ...all, source_networks: ['10.0.0.0/8'] }, { ...all, roles: ['owner'] }, all])).toEqual([
        undefined,
        undefined,
        undefined,
      ])
    })
  })
})
