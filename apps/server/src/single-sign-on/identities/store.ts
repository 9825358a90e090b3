// SQL of linked identities, and of proposals that wait for a second step. System rows.
import type { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import type { IdentityProposalRow, IdentityRow } from '../store.ts'

/** The identities of an account, the oldest first. */
export function listOf(db: Kysely<Schema>, user: UserId): Promise<IdentityRow[]> {
  return db
    .selectFrom('identities')
    .selectAll()
    .where('user_id', '=', user)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** @returns undefined when the account has no such identity */
export function deleteIdentity(db: Kysely<Schema>, user: UserId, id: string): Promise<IdentityRow | undefined> {
  return db.deleteFrom('identities').where('user_id', '=', user).where('id', '=', id).returningAll().executeTakeFirst()
}

/** Deletes the one-use tokens of an account, which an identity may have been given. */
export async function deleteExchangesOf(db: Kysely<Schema>, user: UserId): Promise<void> {
  await db.deleteFrom('exchange_tokens').where('user_id', '=', user).execute()
}

/** Keeps a proposal until a sign-in has passed its second step. @returns false when it is gone */
export async function holdProposal(db: Kysely<Schema>, hash: Buffer, until: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('identity_proposals')
    .set((expression) => ({ expires_at: expression.fn<Date>('greatest', ['expires_at', expression.val(until)]) }))
    .where('token_hash', '=', hash)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Uses a proposal for an account up: of concurrent calls one gets it. */
export function takeProposal(
  db: Kysely<Schema>,
  { hash, user, now }: { readonly hash: Buffer; readonly user: UserId; readonly now: Date },
): Promise<IdentityProposalRow | undefined> {
  return db
    .deleteFrom('identity_proposals')
    .where('token_hash', '=', hash)
    .where('user_id', '=', user)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}
