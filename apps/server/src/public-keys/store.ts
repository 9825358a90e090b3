// SQL of public keys.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import {
  type Expression,
  type Insertable,
  type Kysely,
  type Selectable,
  type SqlBool,
  type Updateable,
  sql,
} from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { PublicKeysTable, Schema } from '../db/schema.ts'
import type { FilterProperties } from '../db/lists/filter.ts'

export type PublicKeyRow = Selectable<PublicKeysTable>

/** A key that somebody with a disabled account owns or has vouched for: it logs nobody in meanwhile. */
const isSuspended = sql<boolean>`(is_disabled_account(public_keys.owner) or is_disabled_account(public_keys.vouched_by))`
export type JudgedKeyRow = PublicKeyRow & { readonly suspended: boolean }

/** As `ssh-keygen -l` prints it. */
const sha256 = sql`('SHA256:' || rtrim(encode(sha256(public_keys.blob), 'base64'), '='))`

export const PUBLIC_KEY_PROPERTIES: FilterProperties = {
  name: { sql: sql.ref('public_keys.name'), type: 'text' },
  fingerprint: { sql: sql.ref('public_keys.fingerprint'), type: 'text' },
  fingerprint_sha256: { sql: sha256, type: 'text' },
  username: { sql: sql.ref('public_keys.username'), type: 'text' },
  hostname: { sql: sql.ref('public_keys.hostname'), type: 'text' },
  tags: { sql: sql.ref('public_keys.tags'), type: 'text-array' },
  created_at: { sql: sql.ref('public_keys.created_at'), type: 'time' },
  owner: { sql: sql.ref('public_keys.owner'), type: 'text' },
  service: { sql: sql.ref('public_keys.service'), type: 'boolean' },
  disabled: { sql: sql`((public_keys.owner is null and not public_keys.service) or ${isSuspended})`, type: 'boolean' },
}

/** A page of keys, oldest first, with the total. */
export async function listPublicKeys(
  db: Kysely<Schema>,
  query: { where: Expression<SqlBool> | undefined; limit: number; offset: number },
): Promise<{ rows: JudgedKeyRow[]; total: number }> {
  let base = db.selectFrom('public_keys')
  if (query.where) base = base.where(query.where)
  const rows = await base
    .selectAll()
    .select(isSuspended.as('suspended'))
    .orderBy('created_at')
    .orderBy('fingerprint')
    .limit(query.limit)
    .offset(query.offset)
    .execute()
  const count = await countRows(base)
  return { rows, total: count }
}

export function countPublicKeys(db: Kysely<Schema>): Promise<number> {
  return countRows(db.selectFrom('public_keys'))
}

export function findPublicKey(db: Kysely<Schema>, fingerprint: string): Promise<JudgedKeyRow | undefined> {
  return db
    .selectFrom('public_keys')
    .selectAll()
    .select(isSuspended.as('suspended'))
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
}

/** Locks and returns a key: changes of one key are serialised. */
export function lockPublicKey(db: Kysely<Schema>, fingerprint: string): Promise<PublicKeyRow | undefined> {
  return db.selectFrom('public_keys').selectAll().where('fingerprint', '=', fingerprint).forUpdate().executeTakeFirst()
}

/** Locks and returns the keys whose filter has a tag, in a fixed order that prevents deadlocks. */
export function lockPublicKeysWithTag(db: Kysely<Schema>, tag: string): Promise<PublicKeyRow[]> {
  return db
    .selectFrom('public_keys')
    .selectAll()
    .where(sql<boolean>`${tag} = any(tags)`)
    .orderBy('fingerprint')
    .forUpdate()
    .execute()
}

/** Every key of the namespace. */
export function listEveryPublicKey(db: Kysely<Schema>): Promise<PublicKeyRow[]> {
  return db.selectFrom('public_keys').selectAll().orderBy('fingerprint').execute()
}

/** @returns undefined when the namespace has the key already */
export function insertPublicKey(
  db: Kysely<Schema>,
  key: Insertable<PublicKeysTable>,
): Promise<PublicKeyRow | undefined> {
  return db
    .insertInto('public_keys')
    .values(key)
    .onConflict((conflict) => conflict.columns(['tenant_id', 'fingerprint']).doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Clears the owner of a member's keys, which disables them. System connection. */
export async function disownKeys(
  system: Kysely<Schema>,
  tenant: TenantId,
  owner: UserId,
): Promise<{ fingerprint: string; name: string }[]> {
  const rows = await system
    .updateTable('public_keys')
    .set((key) => ({
      owner: null,
      service: false,
      former_user: key.ref('owner'),
      former_owner: key
        .selectFrom('users')
        .select(sql<string>`coalesce(max(email), '')`.as('email'))
        .where('id', '=', owner),
    }))
    .where('tenant_id', '=', tenant)
    .where((key) => key.or([key('owner', '=', owner), key('vouched_by', '=', owner)]))
    .returning(['fingerprint', 'name'])
    .execute()
  return rows.sort((one, other) => one.name.localeCompare(other.name))
}

/** Namespaces in which one of the keys is disabled or suspended. System connection. */
export async function listWithDisabled(
  system: Kysely<Schema>,
  used: readonly { readonly tenant: TenantId; readonly fingerprint: string }[],
): Promise<TenantId[]> {
  const { rows } = await sql<{ tenant: TenantId }>`
    select distinct tenant_id as tenant from public_keys
    where ((owner is null and not service) or ${isSuspended}) and (tenant_id, fingerprint) in (
      select * from unnest(
        ${used.map(({ tenant }) => tenant)}::uuid[], ${used.map(({ fingerprint }) => fingerprint)}::text[]
      )
    )`.execute(system)
  return rows.map(({ tenant }) => tenant)
}

export async function updatePublicKey(
  db: Kysely<Schema>,
  fingerprint: string,
  values: Updateable<PublicKeysTable>,
): Promise<void> {
  await db.updateTable('public_keys').set(values).where('fingerprint', '=', fingerprint).execute()
}

/** @returns the key that was deleted; undefined when there was none */
export function deletePublicKey(db: Kysely<Schema>, fingerprint: string): Promise<PublicKeyRow | undefined> {
  return db.deleteFrom('public_keys').where('fingerprint', '=', fingerprint).returningAll().executeTakeFirst()
}
