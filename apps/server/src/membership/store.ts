// SQL of membership checks for other nouns.
import type { Role } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'

/** Locks the namespace: changes of its members, and of what depends on them, are serialised. */
export async function lockNamespace(db: Kysely<Schema>, tenant: TenantId): Promise<void> {
  // Registrations reference the namespace's row and are not blocked: its key does not change.
  await db.selectFrom('namespaces').select('tenant_id').where('tenant_id', '=', tenant).forNoKeyUpdate().execute()
}

/**
 * Finds an accepted member whose account is not disabled, on the namespace's connection too.
 * @param hold 'held': the membership cannot end before the transaction
 */
export function findAcceptedMember(
  db: Kysely<Schema>,
  tenant: TenantId,
  user: UserId,
  hold: 'held' | 'free' = 'free',
): Promise<{ user_id: UserId } | undefined> {
  const found = db
    .selectFrom('members')
    .select('user_id')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user)
    .where('status', '=', 'accepted')
    .where(sql<boolean>`not is_disabled_account(members.user_id)`)
  return (hold === 'held' ? found.forKeyShare() : found).executeTakeFirst()
}

/** Roles of accepted members among some people, those of disabled accounts left out. */
export function listRoles(
  db: Kysely<Schema>,
  tenant: TenantId,
  users: readonly UserId[],
): Promise<{ user_id: UserId; role: Role }[]> {
  return db
    .selectFrom('members')
    .select(['user_id', 'role'])
    .where('tenant_id', '=', tenant)
    .where(sql<boolean>`user_id = any(${[...users]})`)
    .where('status', '=', 'accepted')
    .where(sql<boolean>`not is_disabled_account(members.user_id)`)
    .execute()
}

/** Holds accepted memberships, in a fixed order to avoid deadlocks. @returns those that there are */
export function holdAccepted(
  db: Kysely<Schema>,
  tenant: TenantId,
  users: readonly UserId[],
): Promise<{ user_id: UserId }[]> {
  return db
    .selectFrom('members')
    .select('user_id')
    .where('tenant_id', '=', tenant)
    .where(sql<boolean>`user_id = any(${[...users]})`)
    .where('status', '=', 'accepted')
    .orderBy('user_id')
    .forKeyShare()
    .execute()
}

/** Filters memberships that are missing or not accepted, and those of disabled accounts. */
export async function listMissingMembers(
  db: Kysely<Schema>,
  of: readonly { readonly tenant: TenantId; readonly user: UserId }[],
): Promise<{ tenant: TenantId; user: UserId }[]> {
  const { rows } = await sql<{ tenant: TenantId; user: UserId }>`
    select tenant, "user" from unnest(
      ${of.map(({ tenant }) => tenant)}::uuid[], ${of.map(({ user }) => user)}::text[]
    ) as asked (tenant, "user")
    where not exists (
      select from members where tenant_id = tenant and user_id = "user" and status = 'accepted'
        and not is_disabled_account(user_id)
    )`.execute(db)
  return rows
}
