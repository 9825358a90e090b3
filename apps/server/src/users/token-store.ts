// SQL of the tokens in mails about accounts. System rows.
import type { UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, sql } from 'kysely'
import type { AccountTokensTable, RecoveryTokensTable } from '../db/tables/registration-tables.ts'
import type { Schema } from '../db/schema.ts'

/** Stores a token; an earlier one of the same purpose ends. */
export async function putToken(db: Kysely<Schema>, token: Insertable<AccountTokensTable>): Promise<void> {
  const { user_id: _user, purpose: _purpose, ...values } = token
  await db
    .insertInto('account_tokens')
    .values(token)
    .onConflict((conflict) => conflict.columns(['user_id', 'purpose']).doUpdateSet(values))
    .execute()
}

/** Uses a token up in one statement. @returns its account; undefined if it is unknown, expired or was ended */
export async function takeToken(
  db: Kysely<Schema>,
  token: { readonly purpose: AccountTokensTable['purpose']; readonly hash: Buffer },
  now: Date,
): Promise<UserId | undefined> {
  const { rows } = await sql<{ user_id: UserId }>`
    delete from account_tokens using users
    where users.id = account_tokens.user_id and account_tokens.token_epoch = users.token_epoch
      and purpose = ${token.purpose} and token_hash = ${token.hash} and expires_at > ${now}
    returning user_id`.execute(db)
  return rows[0]?.user_id
}

/** Adds a token for a new password beside those that the account has. */
export async function addRecoveryToken(db: Kysely<Schema>, token: Insertable<RecoveryTokensTable>): Promise<void> {
  await db.insertInto('recovery_tokens').values(token).execute()
}

/** Uses a token for a new password up, and all others of its account. @returns as {@link takeToken} */
export async function takeRecoveryToken(db: Kysely<Schema>, hash: Buffer, now: Date): Promise<UserId | undefined> {
  const { rows } = await sql<{ user_id: UserId }>`
    with taken as (
      delete from recovery_tokens using users
      where users.id = recovery_tokens.user_id and recovery_tokens.token_epoch = users.token_epoch
        and token_hash = ${hash} and expires_at > ${now}
      returning user_id
    ), others as (
      delete from recovery_tokens using taken
      where recovery_tokens.user_id = taken.user_id and token_hash <> ${hash}
    )
    select user_id from taken`.execute(db)
  return rows[0]?.user_id
}

export async function deleteTokensOf(db: Kysely<Schema>, user: UserId): Promise<void> {
  await db.deleteFrom('account_tokens').where('user_id', '=', user).execute()
  await db.deleteFrom('recovery_tokens').where('user_id', '=', user).execute()
}

/** Removes expired tokens, and new addresses that nobody can confirm any more. */
export async function deleteExpiredTokens(db: Kysely<Schema>, now: Date): Promise<void> {
  await db.deleteFrom('account_tokens').where('expires_at', '<', now).execute()
  await db.deleteFrom('recovery_tokens').where('expires_at', '<', now).execute()
  await sql`update users set pending_email = null where pending_email is not null and not exists (
    select from account_tokens where user_id = users.id and purpose = 'address'
      and account_tokens.token_epoch = users.token_epoch)`.execute(db)
}
