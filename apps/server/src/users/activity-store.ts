// SQL of account events. System rows: no tenant sees them.
import type { AccountEventKind } from '@bowline/contract/schemas/account-event'
import type { UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import { type Page, readPage } from '../db/lists/page.ts'
import type { Schema } from '../db/schema.ts'
import type { AccountEventsTable } from '../db/tables/sign-in-tables.ts'

export type AccountEventRow = Selectable<AccountEventsTable>

/** Adds an event, or increments the one of the same hour. */
export async function insertAccountEvent(db: Kysely<Schema>, event: Insertable<AccountEventsTable>): Promise<void> {
  await db
    .insertInto('account_events')
    .values(event)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'kind', 'source', 'bucket']).doUpdateSet({
        count: sql<number>`account_events.count + 1`,
        last_at: sql<Date>`excluded.last_at`,
        user_agent: sql<string>`excluded.user_agent`,
        details: sql`excluded.details`,
      }),
    )
    .execute()
}

/** Events of a kind since a time, repetitions included. */
export async function countAccountEvents(
  db: Kysely<Schema>,
  user: UserId,
  kind: AccountEventKind,
  since: Date,
): Promise<number> {
  const row = await db
    .selectFrom('account_events')
    .select(sql<number>`coalesce(sum(count), 0)`.as('count'))
    .where('user_id', '=', user)
    .where('kind', '=', kind)
    .where('last_at', '>', since)
    .executeTakeFirstOrThrow()
  return row.count
}

export function listAccountEvents(
  db: Kysely<Schema>,
  user: UserId,
  page: Page,
): Promise<{ rows: readonly AccountEventRow[]; total: number }> {
  return readPage(db, page, {
    total: (one) => countRows(one.selectFrom('account_events').where('user_id', '=', user)),
    read: (one, { limit, offset }, opposite) =>
      one
        .selectFrom('account_events')
        .selectAll()
        .where('user_id', '=', user)
        .orderBy('last_at', opposite ? 'asc' : 'desc')
        .orderBy('id', opposite ? 'asc' : 'desc')
        .limit(limit)
        .offset(offset)
        .execute(),
    isTotalKept: false,
  })
}

/** The newest events of all accounts, with the username where the account still exists. */
export function listEveryAccountEvent(
  db: Kysely<Schema>,
  limit: number,
): Promise<(AccountEventRow & { readonly username: string | null })[]> {
  return db
    .selectFrom('account_events')
    .leftJoin('users', (join) => join.on(sql<boolean>`users.id = account_events.user_id`))
    .selectAll('account_events')
    .select('users.username')
    .orderBy('account_events.last_at', 'desc')
    .orderBy('account_events.id', 'desc')
    .limit(limit)
    .execute()
}
