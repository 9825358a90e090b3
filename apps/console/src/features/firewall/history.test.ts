import type { Rule } from '@bowline/contract/schemas/firewall'
import { TenantId } from '@bowline/contract/schemas/common'
import { describe, expect, it } from 'vitest'
import { changesOf, restoringOf } from './history.ts'

const rule: Rule = {
  id: 7,
  tenant_id: TenantId.parse('00000000-0000-4000-8000-000000000000'),
  action: 'allow',
  active: true,
  filter: { hostname: '.*' },
  priority: 3,
  source_ip: '.*',
  source_networks: ['10.0.0.0/8'],
  username: '.*',
  people: [],
  roles: [],
}
const other: Rule = { ...rule, id: 8 }
const { id: _, tenant_id: __, ...body } = rule

describe('changes', () => {
  it('are the parts that differ, in words', () => {
    const after = {
      ...rule,
      action: 'deny',
      active: false,
      source_networks: [],
      roles: ['operator'],
      filter: { tags: ['lab'] },
    }
    expect(changesOf({ details: { before: rule, after } }, [])).toEqual([
      { label: 'Action', before: 'Allow', after: 'Deny' },
      { label: 'State', before: 'enabled', after: 'disabled' },
      { label: 'From', before: '10.0.0.0/8', after: 'anywhere' },
      { label: 'People', before: 'Anyone', after: 'Operators' },
      { label: 'Devices', before: 'all devices', after: 'tagged lab' },
    ])
  })

  it('are all parts of a rule that was added, and none of an order', () => {
    expect(changesOf({ details: { after: rule } }, []).map(({ label, before }) => [label, before])).toEqual(
      ['Action', 'State', 'From', 'Login', 'People', 'Devices', 'Priority'].map((label) => [label, '']),
    )
    expect(changesOf({ details: { before: [1, 2], after: [2, 1] } }, [])).toEqual([])
  })
})

describe('restoring', () => {
  it('saves the rule as it was, or adds it where it was removed', () => {
    const now = { ...rule, active: false }
    expect(restoringOf({ details: { before: rule, after: now } }, [now])).toEqual({ kind: 'save', before: now, body })
    expect(restoringOf({ details: { before: rule } }, [other])).toEqual({ kind: 'add', body })
  })

  it('is not offered for what is as it was, or was added', () => {
    expect(restoringOf({ details: { before: rule, after: { ...rule, active: false } } }, [rule])).toBeUndefined()
    expect(restoringOf({ details: { after: rule } }, [rule])).toBeUndefined()
  })

  it('reads entries from before rules had networks and people', () => {
    const { source_networks: networks, people, roles, ...old } = { ...rule, source_networks: [] }
    const kept = { ...body, source_networks: networks, people, roles }
    expect(restoringOf({ details: { before: old } }, [])).toEqual({ kind: 'add', body: kept })
  })

  it('puts rules into their order, and those that came later behind them', () => {
    const rules = [3, 1, 4, 2].map((id) => ({ ...rule, id }))
    const details = { before: [1, 2, 5, 3], after: [3, 1, 2, 5] }
    expect(restoringOf({ details }, rules)).toEqual({ kind: 'order', order: [1, 2, 3, 4] })
    expect(
      restoringOf(
        { details },
        [1, 2, 3, 4].map((id) => ({ ...rule, id })),
      ),
    ).toBeUndefined()
  })
})
