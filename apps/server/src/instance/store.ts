// SQL of the instance: its keys and whether it has been set up. System rows; no tenant sees them.
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'

/** Returns the sealed key of that name; `make` creates a missing one. The first of several writers wins. */
export async function putInstanceKey(db: Kysely<Schema>, name: string, make: () => Buffer): Promise<Buffer> {
  const find = () => db.selectFrom('instance_keys').select('sealed').where('name', '=', name).executeTakeFirst()
  const found = await find()
  if (found) return found.sealed
  await db
    .insertInto('instance_keys')
    .values({ name, sealed: make() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return (await find().then((row) => row?.sealed)) ?? Promise.reject(new Error(`instance key ${name} vanished`))
}

/** Existing keys among `names`, ordered by name. */
export function findInstanceKeys(db: Kysely<Schema>, names: readonly string[]) {
  return db.selectFrom('instance_keys').selectAll().where('name', 'in', names).orderBy('name').execute()
}

/** Replaces the sealed key of that name. */
export async function setInstanceKey(db: Kysely<Schema>, name: string, sealed: Buffer, at: Date): Promise<void> {
  await db
    .insertInto('instance_keys')
    .values({ name, sealed, created_at: at })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ sealed, created_at: at }))
    .execute()
}

export async function isSetUp(db: Kysely<Schema>): Promise<boolean> {
  const row = await db.selectFrom('instance').select('setup').executeTakeFirst()
  return row?.setup ?? false
}

/** Marks the instance as set up. @returns false if it already was: only one concurrent caller gets true. */
export async function markSetUp(db: Kysely<Schema>): Promise<boolean> {
  const result = await db.updateTable('instance').set({ setup: true }).where('setup', '=', false).executeTakeFirst()
  return result.numUpdatedRows === 1n
}
