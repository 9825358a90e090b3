// SQL of passkeys. System rows: no tenant sees them.
import type { UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { PasskeysTable } from '../db/tables/passkey-tables.ts'
import type { Schema } from '../db/schema.ts'

export type PasskeyRow = Selectable<PasskeysTable>

/** A person's passkeys, the oldest first. */
export function listOf(db: Kysely<Schema>, user: UserId): Promise<PasskeyRow[]> {
  return db.selectFrom('passkeys').selectAll().where('user_id', '=', user).orderBy('created_at').orderBy('id').execute()
}

export function findCredential(db: Kysely<Schema>, credentialId: Buffer): Promise<PasskeyRow | undefined> {
  return db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()
}

/** Adds a passkey. @returns false when its credential is registered already */
export async function insertPasskey(db: Kysely<Schema>, passkey: Insertable<PasskeysTable>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('passkeys')
    .values(passkey)
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Notes a use. @returns false when the passkey is gone */
export async function touchPasskey(
  db: Kysely<Schema>,
  id: string,
  use: { readonly at: Date; readonly signCount: number; readonly backedUp: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({
      last_used_at: use.at,
      backed_up: use.backedUp,
      // The later count of two concurrent uses stays.
      sign_count: sql<number>`greatest(sign_count, ${use.signCount})`,
    })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export function renamePasskey(
  db: Kysely<Schema>,
  user: UserId,
  id: string,
  name: string,
): Promise<PasskeyRow | undefined> {
  return db
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', user)
    .returningAll()
    .executeTakeFirst()
}

export async function deletePasskey(db: Kysely<Schema>, id: string): Promise<void> {
  await db.deleteFrom('passkeys').where('id', '=', id).execute()
}

/** Marks a challenge as used. @returns false when it was before; waits for a concurrent use of the same one only */
export async function insertUsedChallenge(db: Kysely<Schema>, hash: Buffer, expiresAt: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('used_challenges')
    .values({ hash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function deleteExpiredChallenges(db: Kysely<Schema>, now: Date): Promise<void> {
  await db.deleteFrom('used_challenges').where('expires_at', '<', now).execute()
}
