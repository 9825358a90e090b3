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

/** A second rule, with something else in it. */
function withRule(change: object): string {
  const { id: _, ...body } = rule
  return JSON.stringify([rule, { ...body, ...change }])
}

const FLAWS: readonly (readonly [text: string, flaw: RegExp])[] = [
  ['', /^The text is empty/],
  ['[', /^This is not valid JSON: it ends in line 1, /],
  ['[\n  {"id": 7,}\n]', /^This is not valid JSON: see line 2, column 12\.$/],
  ['{}', /^This must be a list of rules/],
  ['[{"action":"deny"}]', /^Rule 1: active is missing\.$/],
  ['[7]', /^Rule 1 must be an object in braces, not 7\.$/],
  [withRule({ action: 'block' }), /^Rule 2: action must be "allow" or "deny", not "block"\.$/],
  [withRule({ active: 'yes' }), /^Rule 2: active must be true or false, without quotation marks, not "yes"\.$/],
  [withRule({ priority: '5' }), /^Rule 2: priority must be a number, not "5"\.$/],
  [withRule({ priority: 1.5 }), /^Rule 2: priority must be a whole number\.$/],
  [withRule({ priority: -1 }), /^Rule 2: priority must be 0 or more\.$/],
  [withRule({ priority: 9e9 }), /^Rule 2: priority must be at most 2,147,483,647\.$/],
  [withRule({ username: null }), /^Rule 2: username must be a text in quotation marks, not null\.$/],
  [withRule({ username: '' }), /^Rule 2: username is required\.$/],
  [withRule({ username: 'x'.repeat(2_000) }), /^Rule 2: username must have at most 1,024 characters\.$/],
  [withRule({ source_networks: '10.0.0.0/8' }), /^Rule 2: source_networks must be a list in square brackets, not "10/],
  [withRule({ source_networks: ['10.0.0.0/8', 'x'] }), /^Rule 2: source_networks, entry 2, must be an address or a/],
  [withRule({ roles: ['boss'] }), /^Rule 2: roles, entry 1, must be "observer", .* or "owner", not "boss"\.$/],
  [withRule({ filter: {} }), /^Rule 2: filter must have either hostname or tags\.$/],
  [withRule({ filter: { tags: ['a b'] } }), /^Rule 2: filter\.tags, entry 1, may have letters|must have 3 to 255/],
  [
    withRule({ filter: { host: '.*', tags: ['abc'] } }),
    /^Rule 2: there is no field filter\.host\. The fields are hostname/,
  ],
  [withRule({ prioritty: 5 }), /^Rule 2: there is no field prioritty\. The fields are action, active, /],
  [withRule({ id: 'seven' }), /^Rule 2: id must be a number\.$/],
  [JSON.stringify([{ ...rule, id: 8 }]), /no rule with the id 8/],
  [JSON.stringify([rule, { ...rule, action: 'allow' }]), /Two rules have the id 7/],
]

it.each(FLAWS.map(([text, flaw]) => [flaw, text] as const))('says %s', (flaw, text) => {
  expect(readRules(text, [rule]).flaws?.[0]).toMatch(flaw)
})
