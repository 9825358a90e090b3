// Membership checks for nouns whose rows depend on a membership.
import type { Role } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { findAcceptedMember, holdAccepted, listMissingMembers, listRoles } from './store.ts'

export { lockNamespace } from './store.ts'

/** A person in a namespace. */
export interface Membership {
  readonly tenant: TenantId
  readonly user: UserId
}

/** True if the user is an accepted member of the namespace, and the account is not disabled. */
export async function isMember(ctx: TenantContext, user: UserId): Promise<boolean> {
  return (await findAcceptedMember(ctx.db, ctx.tenant, user)) !== undefined
}

/**
 * Holds an accepted membership until the transaction ends.
 * @param ctx in a transaction
 * @returns false when there is no such membership
 */
export async function holdMembership(ctx: TenantContext, user: UserId): Promise<boolean> {
  return (await findAcceptedMember(ctx.db, ctx.tenant, user, 'held')) !== undefined
}

/** Role of an accepted member; undefined for others, and while the account is disabled. */
export async function roleOf(ctx: TenantContext, user: UserId): Promise<Role | undefined> {
  return (await rolesOf(ctx, [user])).get(user)
}

/** Roles of accepted members among some people, as {@link roleOf}. */
export async function rolesOf(ctx: TenantContext, users: readonly UserId[]): Promise<ReadonlyMap<UserId, Role>> {
  const found = await listRoles(ctx.db, ctx.tenant, users)
  return new Map(found.map(({ user_id, role }) => [user_id, role]))
}

/**
 * Holds accepted memberships until the transaction ends, those of disabled accounts too.
 * @param ctx in a transaction
 * @returns false when one of them does not exist
 */
export async function holdMemberships(ctx: TenantContext, users: readonly UserId[]): Promise<boolean> {
  return (await holdAccepted(ctx.db, ctx.tenant, users)).length === new Set(users).size
}

/** Filters memberships that have ended, and those of disabled accounts. @param system connection of all namespaces */
export function findEndedMemberships(system: Kysely<Schema>, of: readonly Membership[]): Promise<Membership[]> {
  return of.length === 0 ? Promise.resolve([]) : listMissingMembers(system, of)
}
