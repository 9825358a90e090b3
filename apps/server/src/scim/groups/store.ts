// SQL of groups of a provider and of who is in them. Every statement names the tenant.
import type { TenantId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, type Updateable, sql } from 'kysely'
import { countRows } from '../../db/lists/count.ts'
import type { Schema } from '../../db/schema.ts'
import type { ScimGroupsTable } from '../../db/tables/scim-tables.ts'
import { isRowId } from '../people/store.ts'
import type { Condition } from '../protocol/paths.ts'

type Db = Kysely<Schema>
export type GroupRow = Selectable<ScimGroupsTable>

/** Attributes that lists can be filtered by. */
export const GROUP_FILTERS = ['displayname', 'externalid', 'id', 'members.value']

export async function listGroups(
  db: Db,
  tenant: TenantId,
  query: { readonly conditions: readonly Condition[]; readonly offset: number; readonly limit: number },
): Promise<{ rows: GroupRow[]; total: number }> {
  let groups = db.selectFrom('scim_groups').where('tenant_id', '=', tenant)
  for (const { attribute, value } of query.conditions) {
    const text = String(value)
    const id = isRowId(text.toLowerCase()) ? text.toLowerCase() : undefined
    if (attribute === 'displayname') groups = groups.where('name_key', '=', text.toLowerCase())
    else if (attribute === 'externalid') groups = groups.where('external_id', '=', text)
    else if (id === undefined) groups = groups.where(sql<boolean>`false`)
    else if (attribute === 'id') groups = groups.where('id', '=', id)
    else {
      groups = groups.where(sql<boolean>`exists (select from scim_group_people as inside
        where inside.tenant_id = scim_groups.tenant_id and inside.group_id = scim_groups.id
          and inside.person_id = ${id})`)
    }
  }
  const rows =
    query.limit === 0
      ? []
      : await groups.selectAll().orderBy('created_at').orderBy('id').limit(query.limit).offset(query.offset).execute()
  return { rows, total: await countRows(groups) }
}

export async function findGroup(db: Db, tenant: TenantId, id: string): Promise<GroupRow | undefined> {
  if (!isRowId(id)) return undefined
  return db
    .selectFrom('scim_groups')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function isGroupNameTaken(db: Db, tenant: TenantId, key: string, except: string): Promise<boolean> {
  const row = await db
    .selectFrom('scim_groups')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('name_key', '=', key)
    .where('id', '<>', except)
    .executeTakeFirst()
  return row !== undefined
}

export function countGroups(db: Db, tenant: TenantId): Promise<number> {
  return countRows(db.selectFrom('scim_groups').where('tenant_id', '=', tenant))
}

export function insertGroup(db: Db, group: Insertable<ScimGroupsTable>): Promise<GroupRow> {
  return db.insertInto('scim_groups').values(group).returningAll().executeTakeFirstOrThrow()
}

export async function updateGroup(
  db: Db,
  tenant: TenantId,
  id: string,
  values: Updateable<ScimGroupsTable>,
): Promise<void> {
  await db.updateTable('scim_groups').set(values).where('tenant_id', '=', tenant).where('id', '=', id).execute()
}

export async function deleteGroup(db: Db, tenant: TenantId, id: string): Promise<void> {
  await db.deleteFrom('scim_groups').where('tenant_id', '=', tenant).where('id', '=', id).execute()
}

export interface GroupMember {
  readonly group: string
  readonly person: string
  readonly name: string
}

/** People in some groups, in a fixed order. */
export async function listGroupPeople(db: Db, tenant: TenantId, groups: readonly string[]): Promise<GroupMember[]> {
  if (groups.length === 0) return []
  const { rows } = await sql<GroupMember>`
    select inside.group_id as group, person.id as person, person.user_name as name
    from scim_group_people as inside
      join scim_people as person on person.tenant_id = inside.tenant_id and person.id = inside.person_id
    where inside.tenant_id = ${tenant} and inside.group_id = any(${groups}::uuid[])
    order by inside.group_id, inside.person_id`.execute(db)
  return rows
}

/** Sizes of some groups; those without people are missing. */
export async function countGroupPeople(
  db: Db,
  tenant: TenantId,
  groups: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (groups.length === 0) return new Map()
  const { rows } = await sql<{ group: string; size: number }>`
    select group_id as group, count(*)::integer as size from scim_group_people
    where tenant_id = ${tenant} and group_id = any(${groups}::uuid[]) group by group_id`.execute(db)
  return new Map(rows.map(({ group, size }) => [group, size]))
}

/** Puts people of the namespace into a group. @returns how many of the ids are people of the namespace */
export async function addGroupPeople(
  db: Db,
  tenant: TenantId,
  group: string,
  people: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ known: number }>`
    with known as (select id from scim_people where tenant_id = ${tenant} and id = any(${people}::uuid[])),
      added as (insert into scim_group_people (tenant_id, group_id, person_id)
        select ${tenant}, ${group}, id from known on conflict do nothing)
    select count(*)::integer as known from known`.execute(db)
  return rows[0]?.known ?? 0
}

export async function removeGroupPeople(
  db: Db,
  tenant: TenantId,
  group: string,
  people: readonly string[],
): Promise<void> {
  await sql`delete from scim_group_people
    where tenant_id = ${tenant} and group_id = ${group} and person_id = any(${people}::uuid[])`.execute(db)
}
