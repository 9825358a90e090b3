// SQL of API keys.
import type { Role } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, type Updateable, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { ApiKeysTable, Schema } from '../db/schema.ts'

export type ApiKeyRow = Selectable<ApiKeysTable>

export async function insertApiKey(db: Kysely<Schema>, key: Insertable<ApiKeysTable>): Promise<ApiKeyRow> {
  return db.insertInto('api_keys').values(key).returningAll().executeTakeFirstOrThrow()
}

/**
 * Checks the name within the namespace. A hash may belong to another namespace, so `isHashTaken` checks all of them.
 */
export async function isNameTaken(db: Kysely<Schema>, name: string): Promise<boolean> {
  const row = await db.selectFrom('api_keys').select('name').where('name', '=', name).executeTakeFirst()
  return row !== undefined
}

export async function isHashTaken(system: Kysely<Schema>, hash: Buffer): Promise<boolean> {
  const row = await system.selectFrom('api_keys').select('name').where('key_hash', '=', hash).executeTakeFirst()
  return row !== undefined
}

/** @param lock keeps others from changing it until the transaction ends */
export function findApiKey(db: Kysely<Schema>, name: string, lock?: 'for update'): Promise<ApiKeyRow | undefined> {
  const query = db.selectFrom('api_keys').selectAll().where('name', '=', name)
  return (lock ? query.forUpdate() : query).executeTakeFirst()
}

export async function listApiKeys(
  db: Kysely<Schema>,
  query: {
    sortBy: 'expires_in' | 'name' | 'role' | 'created_at' | 'updated_at'
    order: 'asc' | 'desc'
    limit: number
    offset: number
  },
): Promise<{ rows: ApiKeyRow[]; total: number }> {
  const column = query.sortBy === 'expires_in' ? 'expires_at' : query.sortBy
  const rows = await db
    .selectFrom('api_keys')
    .selectAll()
    // Clients see -1 for keys that never expire, and sort by the visible value.
    .orderBy(column, (order) => (query.order === 'asc' ? order.asc().nullsFirst() : order.desc().nullsLast()))
    .orderBy('name')
    .limit(query.limit)
    .offset(query.offset)
    .execute()
  const count = await countRows(db.selectFrom('api_keys'))
  return { rows, total: count }
}

export async function updateApiKey(db: Kysely<Schema>, name: string, values: Updateable<ApiKeysTable>): Promise<void> {
  await db.updateTable('api_keys').set(values).where('name', '=', name).execute()
}

/** @returns false when no such key exists */
export async function deleteApiKey(db: Kysely<Schema>, name: string): Promise<boolean> {
  const result = await db.deleteFrom('api_keys').where('name', '=', name).executeTakeFirst()
  return result.numDeletedRows === 1n
}

/** Finds the key with this hash and its creator's current role in one query; none of a disabled account. System connection. */
export function findKeyByHash(
  system: Kysely<Schema>,
  hash: Buffer,
  now: Date,
): Promise<
  | {
      tenant: TenantId
      name: string
      role: Role
      scopes: string[] | null
      creator: UserId
      creatorRole: Role
      /** True while the key's namespace is disabled. */
      isDisabled: boolean
    }
  | undefined
> {
  return system
    .selectFrom('api_keys')
    .innerJoin('members', (join) =>
      join
        .onRef('members.tenant_id', '=', 'api_keys.tenant_id')
        .onRef('members.user_id', '=', 'api_keys.created_by')
        .on('members.status', '=', 'accepted'),
    )
    .innerJoin('users', (join) =>
      join.onRef('users.id', '=', 'api_keys.created_by').on('users.status', '=', 'confirmed'),
    )
    .innerJoin('namespaces', 'namespaces.tenant_id', 'api_keys.tenant_id')
    .select([
      'api_keys.tenant_id as tenant',
      'api_keys.name',
      'api_keys.role',
      'api_keys.scopes',
      'api_keys.created_by as creator',
      'members.role as creatorRole',
    ])
    .select(sql<boolean>`namespaces.disabled_at is not null`.as('isDisabled'))
    .where('key_hash', '=', hash)
    .where((where) => where.or([where('api_keys.expires_at', 'is', null), where('api_keys.expires_at', '>', now)]))
    .executeTakeFirst()
}
