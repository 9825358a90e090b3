// SQL of the keys that certify logins.
import type { Insertable, Kysely } from 'kysely'
import type { Schema, UserAuthoritiesTable } from '../../db/schema.ts'

/** The namespace's sealed key. @param db the tenant's connection */
export async function findUserAuthority(db: Kysely<Schema>): Promise<Buffer | undefined> {
  const row = await db.selectFrom('user_authorities').select('sealed').executeTakeFirst()
  return row?.sealed
}

/** Stores a key; the first of concurrent writers wins. */
export async function insertUserAuthority(db: Kysely<Schema>, key: Insertable<UserAuthoritiesTable>): Promise<void> {
  await db
    .insertInto('user_authorities')
    .values(key)
    .onConflict((conflict) => conflict.column('tenant_id').doNothing())
    .execute()
}
