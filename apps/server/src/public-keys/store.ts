// SQL of public keys.
import {
  type Expression,
  type Insertable,
  type Kysely,
  type Selectable,
  type SqlBool,
  type Updateable,
  sql,
} from 'kysely'
import { countRows } from '../db/count.ts'
import type { PublicKeysTable, Schema } from '../db/schema.ts'
import type { FilterProperties } from '../http/filter.ts'

export type PublicKeyRow = Selectable<PublicKeysTable>

export const PUBLIC_KEY_PROPERTIES: FilterProperties = {
  name: { sql: sql.ref('public_keys.name'), type: 'text' },
  fingerprint: { sql: sql.ref('public_keys.fingerprint'), type: 'text' },
  username: { sql: sql.ref('public_keys.username'), type: 'text' },
  hostname: { sql: sql.ref('public_keys.hostname'), type: 'text' },
  tags: { sql: sql.ref('public_keys.tags'), type: 'text-array' },
  created_at: { sql: sql.ref('public_keys.created_at'), type: 'time' },
}

/** A page of keys, the oldest first, and how many match. */
export async function listPublicKeys(
  db: Kysely<Schema>,
  query: { where: Expression<SqlBool> | undefined; limit: number; offset: number },
): Promise<{ rows: PublicKeyRow[]; total: number }> {
  let base = db.selectFrom('public_keys')
  if (query.where) base = base.where(query.where)
  const rows = await base
    .selectAll()
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

export function findPublicKey(db: Kysely<Schema>, fingerprint: string): Promise<PublicKeyRow | undefined> {
  return db.selectFrom('public_keys').selectAll().where('fingerprint', '=', fingerprint).executeTakeFirst()
}

/** The key with its row locked: changes of one key happen one after the other. */
export function lockPublicKey(db: Kysely<Schema>, fingerprint: string): Promise<PublicKeyRow | undefined> {
  return db.selectFrom('public_keys').selectAll().where('fingerprint', '=', fingerprint).forUpdate().executeTakeFirst()
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
