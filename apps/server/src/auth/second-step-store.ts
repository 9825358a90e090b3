// SQL of sign-ins that wait for their second factor, of fresh proofs, and of the end of what they opened. System rows.
import type { UserId } from '@bowline/contract/schemas/common'
import type { Insertable, Kysely, Selectable } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { PendingSignInsTable } from '../db/tables/sign-in-tables.ts'

export async function insertPendingSignIn(db: Kysely<Schema>, row: Insertable<PendingSignInsTable>): Promise<void> {
  await db.insertInto('pending_sign_ins').values(row).execute()
}

/** The sign-in that waits under the hash of a token, unless it has expired. */
export function findPending(
  db: Kysely<Schema>,
  hash: Buffer,
  now: Date,
): Promise<Selectable<PendingSignInsTable> | undefined> {
  return db
    .selectFrom('pending_sign_ins')
    .selectAll()
    .where('token_hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

export async function deletePendingOf(db: Kysely<Schema>, user: UserId): Promise<void> {
  await db.deleteFrom('pending_sign_ins').where('user_id', '=', user).execute()
}

/** @returns undefined when it is gone */
export function deletePending(
  db: Kysely<Schema>,
  hash: Buffer,
): Promise<Pick<Selectable<PendingSignInsTable>, 'proposal_hash'> | undefined> {
  return db.deleteFrom('pending_sign_ins').where('token_hash', '=', hash).returning('proposal_hash').executeTakeFirst()
}

export async function saveProof(
  db: Kysely<Schema>,
  proof: { readonly sign_in: string; readonly user_id: UserId; readonly at: Date },
): Promise<void> {
  const { at } = proof
  await db
    .insertInto('fresh_proofs')
    .values(proof)
    .onConflict((conflict) => conflict.column('sign_in').doUpdateSet({ at }))
    .execute()
}

/** Time of a person's last proof within a sign-in. */
export async function findProof(db: Kysely<Schema>, signIn: string, user: UserId): Promise<Date | undefined> {
  const row = await db
    .selectFrom('fresh_proofs')
    .select('at')
    .where('sign_in', '=', signIn)
    .where('user_id', '=', user)
    .executeTakeFirst()
  return row?.at
}

/** Closes the windows in which a person's ssh logins pass without asking for the second factor again. */
export async function deleteFactorWindows(db: Kysely<Schema>, user: UserId): Promise<void> {
  await db.deleteFrom('factor_windows').where('user_id', '=', user).execute()
}
