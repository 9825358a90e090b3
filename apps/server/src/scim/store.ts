// SQL of the settings of provisioning, its tokens and what was asked last. Every statement names the tenant.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, type Updateable, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type {
  ProvisionedRole,
  ScimRequestsTable,
  ScimRolesTable,
  ScimSettingsTable,
  ScimTokensTable,
} from '../db/tables/scim-tables.ts'

type Db = Kysely<Schema>
export type ScimTokenRow = Selectable<ScimTokensTable>
export type ScimRequestRow = Selectable<ScimRequestsTable>

const DEFAULTS = {
  enabled: false,
  mails: true,
  default_role: 'observer',
  joins_at_sign_in: false,
} as const satisfies Settings
export interface Settings {
  readonly enabled: boolean
  readonly mails: boolean
  readonly default_role: ProvisionedRole
  readonly joins_at_sign_in: boolean
}

export async function findSettings(db: Db, tenant: TenantId): Promise<Settings> {
  const row = await db
    .selectFrom('scim_settings')
    .select(['enabled', 'mails', 'default_role', 'joins_at_sign_in'])
    .where('tenant_id', '=', tenant)
    .executeTakeFirst()
  return row ?? DEFAULTS
}

export async function saveSettings(
  db: Db,
  tenant: TenantId,
  values: Updateable<Omit<ScimSettingsTable, 'tenant_id'>>,
): Promise<void> {
  await db
    .insertInto('scim_settings')
    .values({ tenant_id: tenant, ...values })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet({ tenant_id: tenant, ...values }))
    .execute()
}

export async function listRoles(db: Db, tenant: TenantId): Promise<{ group: string; role: ProvisionedRole }[]> {
  return db
    .selectFrom('scim_roles')
    .select(['group_name as group', 'role'])
    .where('tenant_id', '=', tenant)
    .orderBy('group_key')
    .execute()
}

export async function replaceRoles(
  db: Db,
  tenant: TenantId,
  roles: readonly Insertable<ScimRolesTable>[],
): Promise<void> {
  await db.deleteFrom('scim_roles').where('tenant_id', '=', tenant).execute()
  if (roles.length) await db.insertInto('scim_roles').values(roles).execute()
}

export function listTokens(db: Db, tenant: TenantId): Promise<ScimTokenRow[]> {
  return db
    .selectFrom('scim_tokens')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export function insertToken(db: Db, token: Insertable<ScimTokensTable>): Promise<ScimTokenRow> {
  return db.insertInto('scim_tokens').values(token).returningAll().executeTakeFirstOrThrow()
}

/** @returns undefined when there is none */
export function deleteToken(db: Db, tenant: TenantId, id: string): Promise<{ name: string } | undefined> {
  return db
    .deleteFrom('scim_tokens')
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
}

export interface PresentedToken {
  readonly id: string
  readonly tenant: TenantId
  readonly name: string
  readonly creator: UserId
  readonly enabled: boolean
  /** True while the token's namespace is disabled. */
  readonly inDisabledNamespace: boolean
  readonly usedAt: Date | null
}

/** The token with this hash, while whoever made it may still change members. System connection. */
export async function findTokenByHash(system: Db, hash: Buffer): Promise<PresentedToken | undefined> {
  return system
    .selectFrom('scim_tokens')
    .innerJoin('members', (join) =>
      join
        .onRef('members.tenant_id', '=', 'scim_tokens.tenant_id')
        .onRef('members.user_id', '=', 'scim_tokens.created_by')
        .on('members.status', '=', 'accepted')
        .on('members.role', 'in', ['administrator', 'owner']),
    )
    .innerJoin('users', (join) =>
      join.onRef('users.id', '=', 'scim_tokens.created_by').on('users.status', '=', 'confirmed'),
    )
    .innerJoin('namespaces', 'namespaces.tenant_id', 'scim_tokens.tenant_id')
    .leftJoin('scim_settings', 'scim_settings.tenant_id', 'scim_tokens.tenant_id')
    .select([
      'scim_tokens.id',
      sql<boolean>`namespaces.disabled_at is not null`.as('inDisabledNamespace'),
      'scim_tokens.tenant_id as tenant',
      'scim_tokens.name',
      'scim_tokens.created_by as creator',
      'scim_tokens.last_used_at as usedAt',
      sql<boolean>`coalesce(scim_settings.enabled, false)`.as('enabled'),
    ])
    .where('token_hash', '=', hash)
    .executeTakeFirst()
}

export async function touchToken(system: Db, id: string, at: Date): Promise<void> {
  await system.updateTable('scim_tokens').set({ last_used_at: at }).where('id', '=', id).execute()
}

/** Keeps a request, and the newest ones only. */
export async function insertRequest(db: Db, request: Insertable<ScimRequestsTable>, kept: number): Promise<void> {
  await db.insertInto('scim_requests').values(request).execute()
  await sql`delete from scim_requests where tenant_id = ${request.tenant_id} and id <= (
    select id from scim_requests where tenant_id = ${request.tenant_id} order by id desc offset ${kept} limit 1
  )`.execute(db)
}

/** The newest first. */
export function listRequests(db: Db, tenant: TenantId): Promise<ScimRequestRow[]> {
  return db.selectFrom('scim_requests').selectAll().where('tenant_id', '=', tenant).orderBy('id', 'desc').execute()
}
