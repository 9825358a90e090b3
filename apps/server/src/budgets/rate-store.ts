// SQL of rates: rows of the table of budgets whose `ends_at` is the time at which the bucket is full again (the generic
// cell rate algorithm), so that one number holds a bucket and rows of full buckets go with the ended budgets.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'

interface Bucket {
  readonly name: string
  readonly key: Buffer
}

/** Takes a token in one statement: concurrent callers never take more than there are. @returns whether there was one */
export async function takeToken(
  db: Kysely<Schema>,
  bucket: Bucket,
  { now, tokenMs, burst }: { readonly now: number; readonly tokenMs: number; readonly burst: number },
): Promise<boolean> {
  const nextFullAt = sql<Date>`greatest(budgets.ends_at, ${new Date(now)}) + make_interval(secs => ${tokenMs / 1_000})`
  const row = await db
    .insertInto('budgets')
    .values({ ...bucket, spent: 1, ends_at: new Date(now + tokenMs) })
    .onConflict((conflict) =>
      conflict
        .columns(['name', 'key'])
        .doUpdateSet({ ends_at: nextFullAt })
        .where(nextFullAt, '<=', new Date(now + burst * tokenMs)),
    )
    .returning('spent')
    .executeTakeFirst()
  return row !== undefined
}

export async function refundToken(db: Kysely<Schema>, { name, key }: Bucket, tokenMs: number): Promise<void> {
  await db
    .updateTable('budgets')
    .set({ ends_at: sql<Date>`ends_at - make_interval(secs => ${tokenMs / 1_000})` })
    .where('name', '=', name)
    .where('key', '=', key)
    .execute()
}

/** Milliseconds since the epoch at which the bucket is full; 0 for one that is. */
export async function timeOfFullBucket(db: Kysely<Schema>, { name, key }: Bucket): Promise<number> {
  const row = await db
    .selectFrom('budgets')
    .select('ends_at')
    .where('name', '=', name)
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.ends_at.getTime() ?? 0
}
