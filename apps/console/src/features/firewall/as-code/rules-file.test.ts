import { TenantId } from '@bowline/contract/schemas/common'
import type { Rule } from '@bowline/contract/schemas/firewall'
import { changesTo } from '@bowline/contract/schemas/policy/rule-changes'
import { expect, it } from 'vitest'
import { readRules, toText } from './rules-file.ts'

const rule: Rule = {
  id: 7,
  tenant_id: TenantId.parse('8f9e3f5c-4c0e-4b5e-8f0a-0d9b6a1c2d3e'),
  action: 'deny',
  active: true,
  priority: 5,
  source_ip: '.*',
  source_networks: [],
  username: '^root$',
  people: [],
  roles: [],
  filter: { hostname: '.*' },
}

it('reads its own text as no change', () => {
  const { rules = [] } = readRules(toText([rule]), [rule])
  expect(changesTo([rule], rules)).toEqual([])
})

it.each([
  ['[', /not valid JSON/],
  ['{}', /a list of rules/],
  ['[{"action":"deny"}]', /^Rule 1: active /],
  [JSON.stringify([{ ...rule, id: 8 }]), /no rule with the id 8/],
  [JSON.stringify([rule, { ...rule, action: 'allow' }]), /Two rules have the id 7/],
])('says what is wrong in %s', (text, flaw) => {
  expect(readRules(text, [rule]).flaws?.[0]).toMatch(flaw)
})
