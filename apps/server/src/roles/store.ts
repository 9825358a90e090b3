// SQL of a namespace's own roles. Tenant connection, but where it says so.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { NamespaceRolesTable } from '../db/tables/namespace-tables.ts'

type Db = Kysely<Schema>
export type RoleRow = Selectable<NamespaceRolesTable>
export type RoleWithMembers = RoleRow & { readonly members: readonly UserId[] }

/** All of them with who has them, by name. */
export async function listOwnRoles(db: Db): Promise<RoleWithMembers[]> {
  const { rows } = await sql<RoleWithMembers>`
    select own.*, array(select user_id from member_roles where role_id = own.id order by user_id) as members
      from namespace_roles own order by lower(own.name), own.id`.execute(db)
  return rows
}

/** @param id locked until the transaction ends */
export function lockOwnRole(db: Db, id: string): Promise<RoleRow | undefined> {
  return db.selectFrom('namespace_roles').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Locked until the transaction ends, by id, so that two callers do not wait for each other. */
export function lockOwnRoles(db: Db, ids: readonly string[]): Promise<RoleRow[]> {
  if (ids.length === 0) return Promise.resolve([])
  return db.selectFrom('namespace_roles').selectAll().where('id', 'in', ids).orderBy('id').forShare().execute()
}

export function lockRolesWithTag(db: Db, tag: string): Promise<RoleRow[]> {
  return db
    .selectFrom('namespace_roles')
    .selectAll()
    .where(sql<boolean>`${tag} = any(tags)`)
    .orderBy('id')
    .forUpdate()
    .execute()
}

export async function isOwnRoleNameTaken(db: Db, name: string, except?: string): Promise<boolean> {
  let query = db
    .selectFrom('namespace_roles')
    .select('id')
    .where(sql<boolean>`lower(name) = lower(${name})`)
  if (except !== undefined) query = query.where('id', '<>', except)
  return (await query.executeTakeFirst()) !== undefined
}

export async function countOwnRoles(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('namespace_roles')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export function insertOwnRole(db: Db, role: Insertable<NamespaceRolesTable>): Promise<RoleRow> {
  return db.insertInto('namespace_roles').values(role).returningAll().executeTakeFirstOrThrow()
}

export function updateOwnRole(
  db: Db,
  id: string,
  values: Partial<Pick<RoleRow, 'name' | 'permissions' | 'tags'>>,
): Promise<RoleRow> {
  return db.updateTable('namespace_roles').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export async function deleteOwnRole(db: Db, id: string): Promise<void> {
  await db.deleteFrom('namespace_roles').where('id', '=', id).execute()
}

export async function membersOf(db: Db, role: string): Promise<UserId[]> {
  const rows = await db.selectFrom('member_roles').select('user_id').where('role_id', '=', role).execute()
  return rows.map(({ user_id }) => user_id)
}

/** Roles of a member, by name. */
export function listOwnRolesOf(db: Db, user: UserId): Promise<RoleRow[]> {
  return db
    .selectFrom('namespace_roles')
    .innerJoin('member_roles', 'member_roles.role_id', 'namespace_roles.id')
    .selectAll('namespace_roles')
    .where('member_roles.user_id', '=', user)
    .orderBy(sql`lower(name)`)
    .execute()
}

/** Sets the roles of a member. */
export async function setOwnRolesOf(db: Db, tenant: TenantId, user: UserId, roles: readonly string[]): Promise<void> {
  let others = db.deleteFrom('member_roles').where('user_id', '=', user)
  if (roles.length > 0) others = others.where('role_id', 'not in', roles)
  await others.execute()
  if (roles.length === 0) return
  await db
    .insertInto('member_roles')
    .values(roles.map((role) => ({ tenant_id: tenant, user_id: user, role_id: role })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Names and tags of the roles that are limited to tags. */
export function listTaggedRoles(db: Db): Promise<{ name: string; tags: readonly string[] | null }[]> {
  return db.selectFrom('namespace_roles').select(['name', 'tags']).where('tags', 'is not', null).orderBy('id').execute()
}

/** @param system connection of all namespaces */
export async function findGrants(
  system: Db,
  tenant: TenantId,
  user: UserId,
): Promise<{ permissions: string[]; tags: string[] | null }[]> {
  const rows = await system
    .selectFrom('namespace_roles')
    .innerJoin('member_roles', (join) =>
      join
        .onRef('member_roles.role_id', '=', 'namespace_roles.id')
        .onRef('member_roles.tenant_id', '=', 'namespace_roles.tenant_id'),
    )
    .select(['permissions', 'tags'])
    .where('member_roles.tenant_id', '=', tenant)
    .where('member_roles.user_id', '=', user)
    .orderBy('namespace_roles.id')
    .execute()
  return rows.map(({ permissions, tags }) => ({ permissions: [...permissions], tags: tags && [...tags] }))
}

/** @param system connection of all namespaces */
export async function hasDeviceTag(
  system: Db,
  { tenant, device }: { readonly tenant: TenantId; readonly device: string },
  tags: readonly string[],
): Promise<boolean> {
  const { rows } = await sql`
    select from devices where tenant_id = ${tenant} and uid = ${device} and tags && ${tags}::text[]`.execute(system)
  return rows.length > 0
}

/** Whether the device of a session has one of the tags now. @param system connection of all namespaces */
export async function hasSessionTag(
  system: Db,
  { tenant, session }: { readonly tenant: TenantId; readonly session: string },
  tags: readonly string[],
): Promise<boolean> {
  const { rows } = await sql`
    select from sessions join devices on devices.uid = sessions.device_uid and devices.tenant_id = sessions.tenant_id
      where sessions.tenant_id = ${tenant} and sessions.uid = ${session} and devices.tags && ${tags}::text[]`.execute(
    system,
  )
  return rows.length > 0
}
