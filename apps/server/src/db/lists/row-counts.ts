// Totals of large lists, maintained instead of counted: triggers write a difference with every change
// (migrations/0004_lists.sql), and a total is the sum of its differences. Exact for every reader: a transaction sees a
// row and its difference together or neither.
import type { DeviceStatus } from '@bowline/contract/schemas/device'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

export type CountedList = 'devices' | 'containers' | 'sessions' | 'audit_log'

/**
 * Number of rows in lists of the namespace.
 * @param db a tenant's connection
 * @param status restricts devices and containers to that status; of the audit log, '' leaves out the entries of jobs
 */
export async function totalOf(
  db: Kysely<Schema>,
  lists: CountedList | readonly CountedList[],
  status?: DeviceStatus | '',
): Promise<number> {
  let differences = db.selectFrom('row_counts').where('list', 'in', [lists].flat())
  if (status !== undefined) differences = differences.where('status', '=', status)
  const row = await differences
    .select(sql<number>`coalesce(sum(difference), 0)::bigint`.as('total'))
    .executeTakeFirstOrThrow()
  return row.total
}

export interface CountedStatus {
  readonly list: 'devices' | 'containers'
  readonly status: DeviceStatus
  readonly total: number
}

/** Numbers of devices and containers of the namespace per status; empty statuses are omitted. */
export async function devicesByStatus(db: Kysely<Schema>): Promise<CountedStatus[]> {
  const rows = await db
    .selectFrom('row_counts')
    .where('list', 'in', ['devices', 'containers'])
    .select(['list', 'status', sql<number>`sum(difference)::bigint`.as('total')])
    .groupBy(['list', 'status'])
    .execute()
  return rows as CountedStatus[]
}

/**
 * Folds the differences of each list into one, without changing any total. Skips differences that another server is
 * folding.
 * @param db system connection
 */
export async function foldCounts(db: Kysely<Schema>): Promise<void> {
  await sql`
    with long as (select tenant_id, list, status from row_counts group by 1, 2, 3 having count(*) > 1),
      free as (select row_counts.ctid from row_counts join long using (tenant_id, list, status)
               for update of row_counts skip locked),
      folded as (delete from row_counts where ctid = any(array(select ctid from free))
                 returning tenant_id, list, status, difference)
    insert into row_counts
      select tenant_id, list, status, sum(difference) from folded group by 1, 2, 3 having sum(difference) <> 0`.execute(
    db,
  )
}
