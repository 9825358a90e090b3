// Checks rights beyond the permission that admitted a call: its side effects may need further permissions.
import { fail } from '@bowline/contract/errors'
import type { Permission } from '@bowline/contract/roles'
import { type TenantContext, actorMay, roleOf } from '../context.ts'

/** Side effects of a change on other things than the caller named. */
export interface PolicyParts {
  /** Firewall rules. */
  readonly rules: readonly number[]
  readonly keys: readonly { readonly fingerprint: string; readonly name: string }[]
  /** By name. */
  readonly installKeys?: readonly string[]
  /** By id: who may not read the rules gets no names. */
  readonly alertRules?: readonly string[]
  /** Snippets of the namespace, by name. */
  readonly snippets?: readonly string[]
  /** Active access requests, by id. */
  readonly access?: readonly string[]
  /** Roles of the namespace that are limited to tags, by name. */
  readonly roles?: readonly string[]
  /** Tag rules, by their search. */
  readonly tagRules?: readonly string[]
  /** Settings of agent updates, as they are called in a sentence. */
  readonly updates?: readonly string[]
}

/** Limit of parts that an error names; the rest is counted. */
const NAMED = 10

/**
 * Refuses a change that affects rules, keys or updates of agents unless the caller may edit those.
 * @throws {BowlineError} POLICY_CHANGE naming what the caller may not edit
 */
export function requirePolicyRights(ctx: TenantContext, parts: PolicyParts): void {
  const { rules, keys, installKeys = [], alertRules = [], snippets = [], access = [], roles = [] } = parts
  const { updates = [], tagRules = [] } = parts
  const unless = (permissions: readonly Permission[], named: readonly string[]): readonly string[] =>
    permissions.every((permission) => actorMay(ctx.actor, permission)) ? [] : named
  const refused = [
    ...unless(
      ['firewallEdit'],
      rules.map((id) => `firewall rule ${id}`),
    ),
    ...unless(
      ['publicKeyEdit'],
      keys.map(({ name, fingerprint }) => `public key ${name} (${fingerprint})`),
    ),
    // Nobody edits an install key: who may replace it by another may.
    ...unless(
      ['installKeyCreate', 'installKeyDelete'],
      installKeys.map((name) => `install key ${name}`),
    ),
    ...unless(
      ['namespaceUpdate'],
      alertRules.map((id) => `alert rule ${id}`),
    ),
    ...unless(
      ['namespaceUpdate'],
      snippets.map((name) => `snippet ${name}`),
    ),
    ...unless(
      ['firewallEdit'],
      access.map((id) => `access request ${id}`),
    ),
    ...unless(
      ['namespaceEditMember'],
      roles.map((name) => `role ${name}`),
    ),
    ...unless(
      ['tagRuleEdit'],
      tagRules.map((query) => `tag rule ${query}`),
    ),
    ...unless(['agentUpdate'], updates),
  ]
  if (refused.length === 0) return
  const more = refused.length > NAMED ? [`${refused.length - NAMED} more`] : []
  const policies = [...refused.slice(0, NAMED), ...more].join(', ')
  fail('POLICY_CHANGE', { role: roleOf(ctx.actor) ?? 'none', policies })
}
