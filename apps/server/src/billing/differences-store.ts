// SQL of reconciliations and what they found.
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'

export interface FoundDifference {
  /** '' for a customer at the provider that belongs to no namespace. */
  readonly namespace_id: string
  readonly customer_id: string
  readonly field: string
  readonly ours: string
  readonly theirs: string
}

export async function insertDifferences(db: Kysely<Schema>, found: readonly FoundDifference[], at: Date) {
  if (found.length === 0) return
  await db
    .insertInto('billing_differences')
    .values(found.map((one) => ({ ...one, found_at: at })))
    .execute()
}

export async function forgetDifferences(db: Kysely<Schema>, before: Date): Promise<void> {
  await db.deleteFrom('billing_differences').where('found_at', '<', before).execute()
}

/** The newest differences. */
export async function listDifferences(db: Kysely<Schema>, limit: number) {
  return db.selectFrom('billing_differences').selectAll().orderBy('id', 'desc').limit(limit).execute()
}

/**
 * Begins the reconciliation of a day.
 * @param abandonedBefore one that began earlier and has not ended is begun anew: its process has died
 * @returns false when it has begun before
 */
export async function beginDay(db: Kysely<Schema>, day: string, now: Date, abandonedBefore: Date): Promise<boolean> {
  const result = await db
    .insertInto('billing_reconciliations')
    .values({ day, began_at: now, ended_at: null })
    .onConflict((conflict) =>
      conflict
        .column('day')
        .doUpdateSet({ began_at: now })
        .where('billing_reconciliations.ended_at', 'is', null)
        .where('billing_reconciliations.began_at', '<=', abandonedBefore),
    )
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Takes back the beginning of a day's reconciliation. */
export async function abandonDay(db: Kysely<Schema>, day: string): Promise<void> {
  await db.deleteFrom('billing_reconciliations').where('day', '=', day).where('ended_at', 'is', null).execute()
}

export async function endDay(
  db: Kysely<Schema>,
  day: string,
  outcome: { ended_at: Date; accounts: number; differences: number; failures: number },
): Promise<void> {
  await db.updateTable('billing_reconciliations').set(outcome).where('day', '=', day).execute()
}
