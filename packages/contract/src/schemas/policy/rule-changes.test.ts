import { describe, expect, it } from 'vitest'
import { TenantId } from '../common.ts'
import type { Rule } from '../firewall.ts'
import { changesTo } from './rule-changes.ts'

const FIELDS = { active: true, source_ip: '.*', source_networks: [], username: '.*', people: [], roles: [] }
const rule = (action: 'allow' | 'deny', priority: number, hostname = '.*') => ({
  ...FIELDS,
  action,
  priority,
  filter: { hostname },
})

describe('the changes to the rules of a file', () => {
  const tenant_id = TenantId.parse('8f9e3f5c-4c0e-4b5e-8f0a-0d9b6a1c2d3e')
  const present = (id: number, ...fields: Parameters<typeof rule>): Rule => ({ ...rule(...fields), id, tenant_id })

  it('are none where all are there, by their ids or by what they do', () => {
    const rules = [present(1, 'deny', 5), present(2, 'deny', 5), present(3, 'allow', 9)]
    expect(changesTo(rules, rules)).toEqual([])
    expect(changesTo(rules, [rule('allow', 9), rule('deny', 5), rule('deny', 5)])).toEqual([])
  })

  it('add and replace what denies first, and remove it last', () => {
    const rules = [present(1, 'deny', 5), present(2, 'allow', 6), present(3, 'allow', 9)]
    const wanted = [rule('allow', 7), { ...rule('deny', 8), id: 3 }, rule('deny', 9)]
    expect(changesTo(rules, wanted)).toEqual([
      { kind: 'add', body: rule('deny', 9) },
      { kind: 'replace', id: 3, body: rule('deny', 8) },
      { kind: 'remove', id: 2 },
      { kind: 'add', body: rule('allow', 7) },
      { kind: 'remove', id: 1 },
    ])
  })

  it('keep the networks, people and roles that the file leaves out of a rule', () => {
    const rules = [{ ...present(1, 'deny', 5), source_networks: ['10.0.0.0/8'] }]
    const { action, active, priority, source_ip, username, filter } = rule('deny', 5)
    expect(changesTo(rules, [{ id: 1, action, active, priority, source_ip, username, filter }])).toEqual([])
  })
})
