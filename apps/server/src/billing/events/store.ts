// SQL of the provider's events and of subscriptions that are to end. Both are worked off when due.
import { type Kysely, type Selectable, sql } from 'kysely'
import type { BillingEndingsTable, BillingEventsTable } from '../../db/tables/billing-tables.ts'
import type { Schema } from '../../db/schema.ts'
import type { ProviderEvent } from '../provider/provider.ts'

export type EventRow = Selectable<BillingEventsTable>
export type EndingRow = Selectable<BillingEndingsTable>

/** Stores an event that is new. @returns false for one that is there */
export async function insertEvent(db: Kysely<Schema>, event: ProviderEvent, now: Date): Promise<boolean> {
  const { id, type, customer, createdAt } = event
  const result = await db
    .insertInto('billing_events')
    .values({ id, type, customer_id: customer, created_at: createdAt, received_at: now, due_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Takes events that are due, so that no other process has them until `until`. */
export async function leaseEvents(
  db: Kysely<Schema>,
  { now, until, limit }: { now: Date; until: Date; limit: number },
): Promise<EventRow[]> {
  const due = db
    .selectFrom('billing_events')
    .select('id')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return db
    .updateTable('billing_events')
    .set((set) => ({ due_at: until, attempts: set('attempts', '+', 1) }))
    .where('id', 'in', due)
    .returningAll()
    .execute()
}

export async function markApplied(db: Kysely<Schema>, ids: readonly string[]): Promise<void> {
  await db.updateTable('billing_events').set({ due_at: null, failure: '' }).where('id', 'in', ids).execute()
}

export async function postponeEvents(db: Kysely<Schema>, ids: readonly string[], until: Date, why: string) {
  await db.updateTable('billing_events').set({ due_at: until, failure: why }).where('id', 'in', ids).execute()
}

/** Makes events due again. @returns how many */
export async function replayEvents(db: Kysely<Schema>, { since, now }: { since: Date; now: Date }): Promise<number> {
  const result = await db
    .updateTable('billing_events')
    .set({ due_at: now, attempts: 0 })
    .where('received_at', '>=', since)
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}

/** Deletes applied events from before a time. */
export async function forgetEvents(db: Kysely<Schema>, before: Date): Promise<void> {
  await db.deleteFrom('billing_events').where('due_at', 'is', null).where('received_at', '<', before).execute()
}

/** Takes subscriptions that are to end. */
export async function leaseEndings(
  db: Kysely<Schema>,
  { now, until, limit }: { now: Date; until: Date; limit: number },
): Promise<EndingRow[]> {
  const due = db
    .selectFrom('billing_endings')
    .select('subscription_id')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return db
    .updateTable('billing_endings')
    .set((set) => ({ due_at: until, attempts: set('attempts', '+', 1) }))
    .where('subscription_id', 'in', due)
    .returningAll()
    .execute()
}

export async function deleteEnding(db: Kysely<Schema>, subscription: string): Promise<void> {
  await db.deleteFrom('billing_endings').where('subscription_id', '=', subscription).execute()
}

export async function postponeEnding(db: Kysely<Schema>, subscription: string, until: Date, why: string) {
  await db
    .updateTable('billing_endings')
    .set({ due_at: until, failure: why })
    .where('subscription_id', '=', subscription)
    .execute()
}

/** Numbers of pending events and cancellations, and of those that have failed before. */
export async function countWaiting(db: Kysely<Schema>): Promise<{ events: number; endings: number; failing: number }> {
  const events = await db
    .selectFrom('billing_events')
    .select(({ fn }) => [
      fn.countAll<string>().as('all'),
      sql<string>`count(*) filter (where attempts > 1)`.as('failing'),
    ])
    .where('due_at', 'is not', null)
    .executeTakeFirstOrThrow()
  const endings = await db
    .selectFrom('billing_endings')
    .select(({ fn }) => [
      fn.countAll<string>().as('all'),
      sql<string>`count(*) filter (where attempts > 1)`.as('failing'),
    ])
    .executeTakeFirstOrThrow()
  return {
    events: Number(events.all),
    endings: Number(endings.all),
    failing: Number(events.failing) + Number(endings.failing),
  }
}
