// Firewall rules.
import * as z from 'zod'
import type { Permission } from '../roles.ts'
import { operation } from '../operation.ts'
import { Page } from '../schemas/common.ts'
import { FilterText } from '../schemas/filter.ts'
import { AttemptBody, OrderBody, Rule, RuleBody, RuleId, Verdict } from '../schemas/firewall.ts'
import { DryRun, DryRunBody } from '../schemas/policy/dry-run.ts'
import { Tag, Tags } from '../schemas/tag.ts'

const byId = z.object({ id: RuleId })
const may = (permission: Permission) => ({ kind: 'member', permission, keys: true }) as const

export const firewall = {
  list: operation({
    method: 'GET',
    path: '/api/firewall/rules',
    noun: 'firewall',
    summary: 'Rules of the namespace by ascending priority',
    access: { kind: 'member', keys: true },
    query: Page.extend({ filter: FilterText }),
    response: z.array(Rule),
    total: true,
    errors: ['INVALID_FILTER'],
  }),
  create: operation({
    method: 'POST',
    path: '/api/firewall/rules',
    noun: 'firewall',
    summary: 'Add a rule',
    access: may('firewallCreate'),
    body: RuleBody,
    response: Rule,
    errors: ['FRESH_PROOF_REQUIRED', 'POLICY_LIMIT', 'NOT_FOUND'],
  }),
  evaluate: operation({
    method: 'POST',
    path: '/api/firewall/evaluate',
    noun: 'firewall',
    summary: 'Whether the rules would allow a connection, and which rule decides',
    cost: 5,
    access: may('firewallEdit'),
    body: AttemptBody,
    response: Verdict,
    errors: ['NOT_FOUND'],
  }),
  tryChange: operation({
    method: 'POST',
    path: '/api/firewall/dry-run',
    noun: 'firewall',
    summary:
      'The effect that a change of the rules would have had on the sessions of the last seven days, and has on you',
    cost: 10,
    bodyBytes: 1_048_576,
    access: may('firewallEdit'),
    body: DryRunBody,
    response: DryRun,
    errors: ['NOT_FOUND', 'RULES_CHANGED', 'TOO_MANY_REQUESTS'],
  }),
  setOrder: operation({
    method: 'PUT',
    path: '/api/firewall/order',
    noun: 'firewall',
    summary: 'Set the order in which the rules are evaluated; the body must list all of them',
    bodyBytes: 131_072,
    access: may('firewallEdit'),
    body: OrderBody,
    errors: ['FRESH_PROOF_REQUIRED', 'RULES_CHANGED'],
  }),
  get: operation({
    method: 'GET',
    path: '/api/firewall/rules/{id}',
    noun: 'firewall',
    summary: 'One rule',
    access: { kind: 'member', keys: true },
    params: byId,
    response: Rule,
    errors: ['NOT_FOUND'],
  }),
  update: operation({
    method: 'PUT',
    path: '/api/firewall/rules/{id}',
    noun: 'firewall',
    summary: 'Replace a rule',
    access: may('firewallEdit'),
    params: byId,
    body: RuleBody,
    response: Rule,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/api/firewall/rules/{id}',
    noun: 'firewall',
    summary: 'Remove a rule',
    access: may('firewallRemove'),
    params: byId,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  addTag: operation({
    method: 'POST',
    path: '/api/firewall/rules/{id}/tags',
    noun: 'firewall',
    summary: 'Add a tag to the filter of a rule',
    access: may('firewallTagAdd'),
    params: byId,
    body: z.object({ tag: Tag }),
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND', 'TAG_LIMIT', 'CONFLICT'],
  }),
  setTags: operation({
    method: 'PUT',
    path: '/api/firewall/rules/{id}/tags',
    noun: 'firewall',
    summary: 'Set the tags of the filter of a rule',
    access: may('firewallTagUpdate'),
    params: byId,
    body: z.object({ tags: Tags }),
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND', 'TAG_LIMIT'],
  }),
  removeTag: operation({
    method: 'DELETE',
    path: '/api/firewall/rules/{id}/tags',
    noun: 'firewall',
    summary: 'Remove a tag, named in the body or as ?tag=, from the filter of a rule',
    access: may('firewallTagRemove'),
    params: byId,
    query: z.object({ tag: Tag.optional() }),
    body: z.object({ tag: Tag.optional() }).optional(),
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
}
