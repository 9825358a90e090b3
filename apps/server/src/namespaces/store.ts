// SQL of namespaces and memberships. Sign-in reads memberships across namespaces, so these run on the system pool.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Role } from '@bowline/contract/roles'
import {
  type Expression,
  type ExpressionBuilder,
  type Insertable,
  type Kysely,
  type Selectable,
  type SqlBool,
  type Updateable,
  sql,
} from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { MembersTable, NamespacesTable } from '../db/tables/namespace-tables.ts'
import type { JsonObject, Schema } from '../db/schema.ts'
import type { FilterProperties } from '../db/lists/filter.ts'

export type NamespaceRow = Selectable<NamespacesTable> & { devices_count: number }
export type MemberRow = Selectable<MembersTable> & { email: string; provisioned: boolean }

export async function insertNamespace(
  db: Kysely<Schema>,
  namespace: Insertable<NamespacesTable>,
  owner: Insertable<MembersTable>,
): Promise<void> {
  await db.insertInto('namespaces').values(namespace).execute()
  await db.insertInto('members').values(owner).execute()
}

/** @param except its own former names do not count */
export async function isNamespaceNameTaken(db: Kysely<Schema>, name: string, except?: TenantId): Promise<boolean> {
  if ((await findTenantByName(db, name)) !== undefined) return true
  const former = await db
    .selectFrom('former_namespace_names')
    .select('namespace')
    .where('name', '=', name)
    .where('kept_until', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return former !== undefined && former.namespace !== except
}

export async function findTenantByName(db: Kysely<Schema>, name: string): Promise<TenantId | undefined> {
  const row = await db.selectFrom('namespaces').select('tenant_id').where('name', '=', name).executeTakeFirst()
  return row?.tenant_id
}

export function findNamespace(
  db: Kysely<Schema>,
  tenant: TenantId,
): Promise<{ tenant_id: TenantId; name: string; max_devices: number; disabled_at: Date | null } | undefined> {
  return db
    .selectFrom('namespaces')
    .select(['tenant_id', 'name', 'max_devices', 'disabled_at'])
    .where('tenant_id', '=', tenant)
    .executeTakeFirst()
}

/** A namespace with its device count. */
export async function findWholeNamespace(db: Kysely<Schema>, tenant: TenantId): Promise<NamespaceRow | undefined> {
  const row = await selectWhole(db).where('namespaces.tenant_id', '=', tenant).executeTakeFirst()
  return row && { ...row, devices_count: row.devices_count ?? 0 }
}

/** Locks a namespace for a change of its row; what refers to it is not blocked. @param db in a transaction */
export function lockNamespaceRow(
  db: Kysely<Schema>,
  tenant: TenantId,
): Promise<Selectable<NamespacesTable> | undefined> {
  return db.selectFrom('namespaces').selectAll().where('tenant_id', '=', tenant).forNoKeyUpdate().executeTakeFirst()
}

/** All namespaces, ordered by name. System connection. */
export async function listEveryNamespace(db: Kysely<Schema>): Promise<NamespaceRow[]> {
  const rows = await selectWhole(db).orderBy('namespaces.name').execute()
  return rows.map((row) => ({ ...row, devices_count: row.devices_count ?? 0 }))
}

function selectWhole(db: Kysely<Schema>) {
  return db.selectFrom('namespaces').selectAll('namespaces').select(acceptedDevices)
}

function acceptedDevices(select: ExpressionBuilder<Schema, 'namespaces'>) {
  return select
    .selectFrom('row_counts')
    .select(sql<number>`sum(difference)::bigint`.as('count'))
    .whereRef('row_counts.tenant_id', '=', 'namespaces.tenant_id')
    .where('row_counts.list', 'in', ['devices', 'containers'])
    .where('row_counts.status', '=', 'accepted')
    .as('devices_count')
}

/** Those of the namespaces that are disabled. */
export async function listDisabled(db: Kysely<Schema>, tenants: readonly TenantId[]): Promise<TenantId[]> {
  const rows = await db
    .selectFrom('namespaces')
    .select('tenant_id')
    .where('tenant_id', '=', sql<TenantId>`any(${tenants})`)
    .where('disabled_at', 'is not', null)
    .execute()
  return rows.map((row) => row.tenant_id)
}

export async function tenantExists(db: Kysely<Schema>, tenant: TenantId): Promise<boolean> {
  return (await findNamespace(db, tenant)) !== undefined
}

/** Updates columns; merges the given `settings` into the others. */
export async function updateNamespace(
  db: Kysely<Schema>,
  tenant: TenantId,
  values: Updateable<NamespacesTable>,
): Promise<void> {
  const { settings } = values
  const merged = settings ? { settings: sql<JsonObject>`settings || ${JSON.stringify(settings)}::jsonb` } : {}
  await db
    .updateTable('namespaces')
    .set({ ...values, ...merged })
    .where('tenant_id', '=', tenant)
    .execute()
}

/** Makes a member the owner, and the owner an administrator. @param db system connection, in a transaction */
export async function transferOwnership(
  db: Kysely<Schema>,
  tenant: TenantId,
  { from, to }: { readonly from: UserId; readonly to: UserId },
): Promise<void> {
  const members = () => db.updateTable('members').where('tenant_id', '=', tenant)
  await members().set({ role: 'administrator' }).where('user_id', '=', from).execute()
  await members().set({ role: 'owner' }).where('user_id', '=', to).execute()
  await db.updateTable('namespaces').set({ owner: to }).where('tenant_id', '=', tenant).execute()
}

/** Deletes the namespace; the database cascades to everything in it. */
export async function deleteNamespace(db: Kysely<Schema>, tenant: TenantId): Promise<void> {
  await db.deleteFrom('namespaces').where('tenant_id', '=', tenant).execute()
}

/** The accepted membership of a user in a namespace. */
export async function findMembership(db: Kysely<Schema>, user: UserId, tenant: TenantId): Promise<Role | undefined> {
  const row = await db
    .selectFrom('members')
    .select('role')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user)
    .where('status', '=', 'accepted')
    .executeTakeFirst()
  return row?.role
}

/** The oldest accepted membership of a user, in a namespace that is not disabled if there is one. */
export function findFirstMembership(
  db: Kysely<Schema>,
  user: UserId,
): Promise<{ tenant_id: TenantId; role: Role } | undefined> {
  return db
    .selectFrom('members')
    .innerJoin('namespaces', 'namespaces.tenant_id', 'members.tenant_id')
    .select(['members.tenant_id', 'members.role'])
    .where('members.user_id', '=', user)
    .where('members.status', '=', 'accepted')
    .orderBy(sql<boolean>`namespaces.disabled_at is not null`)
    .orderBy('members.added_at')
    .orderBy('members.tenant_id')
    .executeTakeFirst()
}

/** Filterable properties of namespaces. */
export const NAMESPACE_PROPERTIES: FilterProperties = {
  name: { sql: sql.ref('namespaces.name'), type: 'text' },
  tenant_id: { sql: sql`namespaces.tenant_id::text`, type: 'text' },
  type: { sql: sql.ref('namespaces.type'), type: 'text' },
  created_at: { sql: sql.ref('namespaces.created_at'), type: 'time' },
}

/** A page of the namespaces in which the user is an accepted member, oldest first, with the total. */
export async function listNamespacesOf(
  db: Kysely<Schema>,
  user: UserId,
  page: { where: Expression<SqlBool> | undefined; limit: number; offset: number },
): Promise<{ rows: NamespaceRow[]; total: number }> {
  let mine = db
    .selectFrom('namespaces')
    .innerJoin('members', 'members.tenant_id', 'namespaces.tenant_id')
    .where('members.user_id', '=', user)
    .where('members.status', '=', 'accepted')
  if (page.where) mine = mine.where(page.where)
  const rows = await mine
    .selectAll('namespaces')
    .select(acceptedDevices)
    .orderBy('namespaces.created_at')
    .orderBy('namespaces.tenant_id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  const count = await countRows(mine)
  return { rows: rows.map((row) => ({ ...row, devices_count: row.devices_count ?? 0 })), total: count }
}

export function listMembers(db: Kysely<Schema>, tenants: readonly TenantId[]): Promise<MemberRow[]> {
  if (tenants.length === 0) return Promise.resolve([])
  return (
    db
      .selectFrom('members')
      .innerJoin('users', 'users.id', 'members.user_id')
      .selectAll('members')
      // Whoever invites an address does not learn to which one its owner changes.
      .select((from) => from.fn.coalesce('members.invite_email', 'users.email').as('email'))
      .select((from) =>
        from
          .exists(
            from
              .selectFrom('scim_people')
              .innerJoin('scim_settings', 'scim_settings.tenant_id', 'scim_people.tenant_id')
              .innerJoin('scim_tokens', 'scim_tokens.tenant_id', 'scim_people.tenant_id')
              .select('scim_people.id')
              .whereRef('scim_people.tenant_id', '=', 'members.tenant_id')
              .whereRef('scim_people.user_id', '=', 'members.user_id')
              .where('scim_settings.enabled', '=', true)
              // Nobody changes an owner.
              .where('members.role', '<>', 'owner')
              .unionAll(
                from
                  .selectFrom('provided_members')
                  .select('provided_members.tenant_id as id')
                  .whereRef('provided_members.tenant_id', '=', 'members.tenant_id')
                  .whereRef('provided_members.user_id', '=', 'members.user_id')
                  .where('members.role', '<>', 'owner')
                  .where((without) =>
                    without.not(
                      without.exists(
                        without
                          .selectFrom('scim_settings')
                          .select('scim_settings.tenant_id')
                          .whereRef('scim_settings.tenant_id', '=', 'members.tenant_id')
                          .where('scim_settings.enabled', '=', true),
                      ),
                    ),
                  ),
              ),
          )
          .$castTo<boolean>()
          .as('provisioned'),
      )
      .where('members.tenant_id', 'in', tenants)
      .orderBy('members.added_at')
      .orderBy('members.user_id')
      .execute()
  )
}

/** True if the connection's namespace records sessions; undefined if it is gone. */
export async function readSessionRecord(db: Kysely<Schema>): Promise<boolean | undefined> {
  const row = await db.selectFrom('namespaces').select('session_record').executeTakeFirst()
  return row?.session_record
}
