// Authority over roles in a namespace.
import { fail } from '@bowline/contract/errors'
import { type Role, hasAuthorityOver } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { isProvisioned, lockMember } from './store.ts'

/**
 * Refuses actors whose role has no authority over another. The operator of the instance has an owner's authority.
 * @throws {BowlineError} ROLE_TOO_HIGH
 */
export function requireAuthority({ actor }: TenantContext, target: Role): void {
  const own = actor.kind === 'system' ? 'owner' : actor.kind === 'device' ? undefined : actor.role
  if (own === undefined || !hasAuthorityOver(own, target)) fail('ROLE_TOO_HIGH', { role: own ?? 'nobody', target })
}

/**
 * Locks a membership, also one that is pending, of somebody whom the actor has authority over.
 * @param ctx in a transaction
 * @throws {BowlineError} NOT_FOUND; ROLE_TOO_HIGH
 */
export async function lockSubordinate(ctx: TenantContext, user: UserId): Promise<void> {
  const member = (await lockMember(ctx.db, ctx.tenant, user)) ?? fail('NOT_FOUND', { what: 'The member' })
  requireAuthority(ctx, member.role)
}

/**
 * Refuses to change the role of a member whose groups at an identity provider decide it: the next change there would
 * undo it.
 * @throws {BowlineError} ROLE_PROVISIONED
 */
export async function requireOwnRole(db: Kysely<Schema>, tenant: TenantId, user: UserId): Promise<void> {
  if (await isProvisioned(db, tenant, user)) fail('ROLE_PROVISIONED')
}
