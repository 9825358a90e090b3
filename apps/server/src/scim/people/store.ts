// SQL of people whom a provider has described. Every statement names the tenant: changes run on the system connection.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, type Updateable, sql } from 'kysely'
import { countRows } from '../../db/lists/count.ts'
import type { Schema } from '../../db/schema.ts'
import type { ProvisionedRole, ScimPeopleTable } from '../../db/tables/scim-tables.ts'
import type { Condition } from '../protocol/paths.ts'

type Db = Kysely<Schema>
export type PersonRow = Selectable<ScimPeopleTable>

/** Attributes that lists can be filtered by. */
export const PERSON_FILTERS = ['username', 'externalid', 'id', 'active', 'emails.value', 'displayname']

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Ids of the protocol are any text; those of rows are UUIDs. */
export function isRowId(id: string): boolean {
  return UUID.test(id)
}

export async function listPeople(
  db: Db,
  tenant: TenantId,
  query: { readonly conditions: readonly Condition[]; readonly offset: number; readonly limit: number },
): Promise<{ rows: PersonRow[]; total: number }> {
  let people = db.selectFrom('scim_people').where('tenant_id', '=', tenant)
  for (const { attribute, value } of query.conditions) {
    const text = String(value)
    if (attribute === 'username') people = people.where('user_name_key', '=', text.toLowerCase())
    else if (attribute === 'externalid') people = people.where('external_id', '=', text)
    else if (attribute === 'emails.value') people = people.where('email', '=', text.toLowerCase())
    else if (attribute === 'displayname') people = people.where('display_name', '=', text)
    else if (attribute === 'active') {
      people = people.where('user_id', text.toLowerCase() === 'true' ? 'is not' : 'is', null)
    } else
      people = isRowId(text.toLowerCase())
        ? people.where('id', '=', text.toLowerCase())
        : people.where(sql<boolean>`false`)
  }
  const rows =
    query.limit === 0
      ? []
      : await people.selectAll().orderBy('created_at').orderBy('id').limit(query.limit).offset(query.offset).execute()
  return { rows, total: await countRows(people) }
}

export async function findPerson(db: Db, tenant: TenantId, id: string): Promise<PersonRow | undefined> {
  if (!isRowId(id)) return undefined
  return db
    .selectFrom('scim_people')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function isUserNameTaken(db: Db, tenant: TenantId, key: string, except: string): Promise<boolean> {
  const row = await db
    .selectFrom('scim_people')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('user_name_key', '=', key)
    .where('id', '<>', except)
    .executeTakeFirst()
  return row !== undefined
}

export async function isMemberTaken(db: Db, tenant: TenantId, user: UserId, except: string): Promise<boolean> {
  const row = await db
    .selectFrom('scim_people')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user)
    .where('id', '<>', except)
    .executeTakeFirst()
  return row !== undefined
}

export function countPeople(db: Db, tenant: TenantId): Promise<number> {
  return countRows(db.selectFrom('scim_people').where('tenant_id', '=', tenant))
}

export function insertPerson(db: Db, person: Insertable<ScimPeopleTable>): Promise<PersonRow> {
  return db.insertInto('scim_people').values(person).returningAll().executeTakeFirstOrThrow()
}

export async function updatePerson(
  db: Db,
  tenant: TenantId,
  id: string,
  values: Updateable<ScimPeopleTable>,
): Promise<void> {
  await db.updateTable('scim_people').set(values).where('tenant_id', '=', tenant).where('id', '=', id).execute()
}

export async function deletePerson(db: Db, tenant: TenantId, id: string): Promise<void> {
  await db.deleteFrom('scim_people').where('tenant_id', '=', tenant).where('id', '=', id).execute()
}

export interface WantedRole {
  readonly user: UserId
  readonly role: ProvisionedRole
}

/**
 * Roles of members that differ from what their groups give. Owners are left out.
 * @param people undefined: everybody
 */
export async function listWantedRoles(
  db: Db,
  tenant: TenantId,
  people: readonly string[] | undefined,
): Promise<WantedRole[]> {
  const chosen = people === undefined ? sql`true` : sql`person.id = any(${people}::uuid[])`
  const { rows } = await sql<WantedRole>`
    select member.user_id as user, wanted.role
    from scim_people as person
      join members as member on member.tenant_id = person.tenant_id and member.user_id = person.user_id
      cross join lateral (select coalesce(
        (select mapped.role from scim_group_people as inside
          join scim_groups as grp on grp.tenant_id = inside.tenant_id and grp.id = inside.group_id
          join scim_roles as mapped on mapped.tenant_id = grp.tenant_id and mapped.group_key = grp.name_key
          where inside.tenant_id = person.tenant_id and inside.person_id = person.id
          order by array_position('{administrator,operator,observer}', mapped.role) limit 1),
        (select default_role from scim_settings where tenant_id = person.tenant_id), 'observer') as role) as wanted
    where person.tenant_id = ${tenant} and member.role <> 'owner' and member.role <> wanted.role and ${chosen}
    order by member.user_id`.execute(db)
  return rows
}
