// Checks rights beyond the permission that admitted a call: its side effects may need further permissions.
import { fail } from '@bowline/contract/errors'
import { type Permission, type Role, roleMay } from '@bowline/contract/roles'
import type { Actor, TenantContext } from '../context.ts'

/** Firewall rules and public keys that a change touches. */
export interface PolicyParts {
  readonly rules: readonly number[]
  readonly keys: readonly { readonly fingerprint: string; readonly name: string }[]
}

/** Limit of rules and keys that an error names; the rest is counted. */
const NAMED = 10

/** True if the actor's role has a permission. The platform and the instance's operator have all of them. */
export function actorMay(actor: Actor, permission: Permission): boolean {
  if (actor.kind === 'system') return true
  const role = roleOf(actor)
  return role !== undefined && roleMay(role, permission)
}

/**
 * Refuses a change that affects rules or keys unless the caller may edit those.
 * @throws {BowlineError} POLICY_CHANGE naming the rules and keys that the caller may not edit
 */
export function requirePolicyRights(ctx: TenantContext, { rules, keys }: PolicyParts): void {
  const refused = [
    ...(actorMay(ctx.actor, 'firewallEdit') ? [] : rules.map((id) => `firewall rule ${id}`)),
    ...(actorMay(ctx.actor, 'publicKeyEdit')
      ? []
      : keys.map(({ name, fingerprint }) => `public key ${name} (${fingerprint})`)),
  ]
  if (refused.length === 0) return
  const more = refused.length > NAMED ? [`${refused.length - NAMED} more`] : []
  const policies = [...refused.slice(0, NAMED), ...more].join(', ')
  fail('POLICY_CHANGE', { role: roleOf(ctx.actor) ?? 'none', policies })
}

/** The role that an actor acts with; undefined for devices and the platform, which have none. */
export function roleOf(actor: Actor): Role | undefined {
  return actor.kind === 'user' || actor.kind === 'api-key' ? actor.role : undefined
}
