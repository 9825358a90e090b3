// SQL of memberships in one namespace, on the system connection: users are instance-wide rows. Every statement names
// the tenant.
import type { Role } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, type Updateable } from 'kysely'
import type { MembersTable, Schema } from '../db/schema.ts'

export type MemberRow = Selectable<MembersTable>

/** Locks the namespace and returns a member: changes of a namespace's members are serialised. */
export async function lockMember(db: Kysely<Schema>, tenant: TenantId, user: UserId): Promise<MemberRow | undefined> {
  // Registrations reference the namespace's row and are not blocked: its key does not change.
  await db.selectFrom('namespaces').select('tenant_id').where('tenant_id', '=', tenant).forNoKeyUpdate().execute()
  return db
    .selectFrom('members')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user)
    .executeTakeFirst()
}

/** Namespaces that a user is a member of or invited to, in a fixed order that prevents deadlocks. */
export async function listTenantsOf(db: Kysely<Schema>, user: UserId): Promise<TenantId[]> {
  const rows = await db
    .selectFrom('members')
    .select('tenant_id')
    .where('user_id', '=', user)
    .orderBy('tenant_id')
    .execute()
  return rows.map(({ tenant_id: tenant }) => tenant)
}

export async function insertMember(db: Kysely<Schema>, member: Insertable<MembersTable>): Promise<void> {
  await db.insertInto('members').values(member).execute()
}

export async function updateMember(
  db: Kysely<Schema>,
  tenant: TenantId,
  user: UserId,
  values: Updateable<MembersTable> & { role?: Role },
): Promise<void> {
  await db.updateTable('members').set(values).where('tenant_id', '=', tenant).where('user_id', '=', user).execute()
}

export async function deleteMember(db: Kysely<Schema>, tenant: TenantId, user: UserId): Promise<void> {
  await db.deleteFrom('members').where('tenant_id', '=', tenant).where('user_id', '=', user).execute()
}

/** Clears the namespace as the user's preferred one. */
export async function clearPreference(db: Kysely<Schema>, tenant: TenantId, user: UserId): Promise<void> {
  await db
    .updateTable('users')
    .set({ preferred_tenant: null })
    .where('id', '=', user)
    .where('preferred_tenant', '=', tenant)
    .execute()
}
