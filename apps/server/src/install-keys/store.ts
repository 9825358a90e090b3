// SQL of install keys.
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { InstallKeysTable, Schema } from '../db/schema.ts'

export type InstallKeyRow = Selectable<InstallKeysTable>

/** @returns undefined when the name is taken */
export function insertInstallKey(
  db: Kysely<Schema>,
  key: Insertable<InstallKeysTable>,
): Promise<InstallKeyRow | undefined> {
  return db
    .insertInto('install_keys')
    .values(key)
    .onConflict((conflict) => conflict.columns(['tenant_id', 'name']).doNothing())
    .returningAll()
    .executeTakeFirst()
}

export function countInstallKeys(db: Kysely<Schema>): Promise<number> {
  return countRows(db.selectFrom('install_keys'))
}

export async function listInstallKeys(
  db: Kysely<Schema>,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ rows: InstallKeyRow[]; total: number }> {
  const rows = await db
    .selectFrom('install_keys')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('name')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total: await countInstallKeys(db) }
}

/** @returns false when no such key exists */
export async function deleteInstallKey(db: Kysely<Schema>, name: string): Promise<boolean> {
  const result = await db.deleteFrom('install_keys').where('name', '=', name).executeTakeFirst()
  return result.numDeletedRows === 1n
}

export function findInstallKey(db: Kysely<Schema>, hash: Buffer): Promise<InstallKeyRow | undefined> {
  return db.selectFrom('install_keys').selectAll().where('key_hash', '=', hash).executeTakeFirst()
}

/** Locks the keys with a tag, in a fixed order to avoid deadlocks. */
export function lockInstallKeysWithTag(db: Kysely<Schema>, tag: string): Promise<InstallKeyRow[]> {
  return db
    .selectFrom('install_keys')
    .selectAll()
    .where(sql<boolean>`${tag} = any(tags)`)
    .orderBy('name')
    .forUpdate()
    .execute()
}

export async function setInstallKeyTags(db: Kysely<Schema>, name: string, tags: readonly string[]): Promise<void> {
  await db.updateTable('install_keys').set({ tags }).where('name', '=', name).execute()
}

/**
 * Counts one use. Concurrent calls never exceed the number of uses.
 * @returns the key as it is now; undefined when it has expired or been used up or removed
 */
export function countUse(db: Kysely<Schema>, hash: Buffer, now: Date): Promise<InstallKeyRow | undefined> {
  return db
    .updateTable('install_keys')
    .set({ uses: sql<number>`uses + 1`, last_used_at: now })
    .where('key_hash', '=', hash)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .where((where) => where.or([where('max_uses', 'is', null), where('uses', '<', where.ref('max_uses'))]))
    .returningAll()
    .executeTakeFirst()
}
