// SQL of exports of accounts: the one that each may have at a time. System connection.
import type { UserId } from '@bowline/contract/schemas/common'
import type { Insertable, Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { AccountExportsTable } from '../db/tables/user-tables.ts'

/** A person who asked for their archive. */
export interface AccountSubject {
  readonly user_id: UserId
  /** Epoch of the person's tokens when they asked. */
  readonly token_epoch: number
}

/** Stores the link of a new export in place of an earlier one. @returns false while an export is being written */
export async function storeAccountLink(
  db: Kysely<Schema>,
  link: Insertable<AccountExportsTable>,
  now: Date,
): Promise<boolean> {
  const { link_hash, link_expires_at, token_epoch } = link
  const stored = await db
    .insertInto('account_exports')
    .values(link)
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ link_hash, link_expires_at, token_epoch })
        .where('account_exports.busy_until', '<=', now),
    )
    .returning('user_id')
    .executeTakeFirst()
  return stored !== undefined
}

/** @returns whose link it is; undefined when it is not valid */
export function findAccountLink(db: Kysely<Schema>, hash: Buffer, now: Date): Promise<AccountSubject | undefined> {
  return db
    .selectFrom('account_exports')
    .select(['user_id', 'token_epoch'])
    .where('link_hash', '=', hash)
    .where('link_expires_at', '>', now)
    .executeTakeFirst()
}

/** Takes a link, which works once. @returns whose it is */
export function takeAccountLink(
  db: Kysely<Schema>,
  hash: Buffer,
  now: Date,
  busyUntil: Date,
): Promise<AccountSubject | undefined> {
  return db
    .updateTable('account_exports')
    .set({ link_hash: null, busy_until: busyUntil })
    .where('link_hash', '=', hash)
    .where('link_expires_at', '>', now)
    .returning(['user_id', 'token_epoch'])
    .executeTakeFirst()
}

/** Says until when an export is taken to be under way. */
export async function setAccountBusy(db: Kysely<Schema>, user: UserId, until: Date): Promise<void> {
  await db.updateTable('account_exports').set({ busy_until: until }).where('user_id', '=', user).execute()
}
