// SQL of budgets. System rows.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'

/** Counts one use in one statement: concurrent ones count separately. @returns uses within the period, this one too */
export async function countUse(
  db: Kysely<Schema>,
  budget: { readonly name: string; readonly key: Buffer },
  period: { readonly now: Date; readonly endsAt: Date },
): Promise<number> {
  const isOver = sql<boolean>`budgets.ends_at <= ${period.now}`
  const row = await db
    .insertInto('budgets')
    .values({ ...budget, spent: 1, ends_at: period.endsAt })
    .onConflict((conflict) =>
      conflict.columns(['name', 'key']).doUpdateSet({
        spent: sql<number>`case when ${isOver} then 1 else budgets.spent + 1 end`,
        ends_at: sql<Date>`case when ${isOver} then excluded.ends_at else budgets.ends_at end`,
      }),
    )
    .returning('spent')
    .executeTakeFirstOrThrow()
  return row.spent
}

/** Uses within the period. */
export async function usesOf(
  db: Kysely<Schema>,
  { name, key }: { readonly name: string; readonly key: Buffer },
  now: Date,
): Promise<number> {
  const row = await db
    .selectFrom('budgets')
    .select('spent')
    .where('name', '=', name)
    .where('key', '=', key)
    .where('ends_at', '>', now)
    .executeTakeFirst()
  return row?.spent ?? 0
}

export async function deleteEnded(db: Kysely<Schema>, now: Date): Promise<void> {
  await db.deleteFrom('budgets').where('ends_at', '<', now).execute()
}
