// SQL of exports of accounts: the one that each may have at a time. System connection.
import type { UserId } from '@bowline/contract/schemas/common'
import type { Insertable, Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { AccountExportsTable } from '../db/tables/user-tables.ts'

/** Stores the link of a new export in place of an earlier one. @returns false while an export is being written */
export async function storeAccountLink(
  db: Kysely<Schema>,
  link: Insertable<AccountExportsTable>,
  now: Date,
): Promise<boolean> {
  const { link_hash, link_expires_at } = link
  const stored = await db
    .insertInto('account_exports')
    .values(link)
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ link_hash, link_expires_at })
        .where('account_exports.busy_until', '<=', now),
    )
    .returning('user_id')
    .executeTakeFirst()
  return stored !== undefined
}

/** @returns whose link it is; undefined when it is not valid */
export async function findAccountLink(db: Kysely<Schema>, hash: Buffer, now: Date): Promise<UserId | undefined> {
  const rows = db.selectFrom('account_exports').select('user_id').where('link_hash', '=', hash)
  return (await rows.where('link_expires_at', '>', now).executeTakeFirst())?.user_id
}

/** Takes a link, which works once. @returns whose it is */
export async function takeAccountLink(
  db: Kysely<Schema>,
  hash: Buffer,
  now: Date,
  busyUntil: Date,
): Promise<UserId | undefined> {
  const row = await db
    .updateTable('account_exports')
    .set({ link_hash: null, busy_until: busyUntil })
    .where('link_hash', '=', hash)
    .where('link_expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst()
  return row?.user_id
}

/** Says until when an export is taken to be under way. */
export async function setAccountBusy(db: Kysely<Schema>, user: UserId, until: Date): Promise<void> {
  await db.updateTable('account_exports').set({ busy_until: until }).where('user_id', '=', user).execute()
}
