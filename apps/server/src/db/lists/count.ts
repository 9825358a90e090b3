// Counts the rows of a query.
import type { SelectQueryBuilder } from 'kysely'
import type { Schema } from '../schema.ts'

/**
 * Counts the rows of a query that has no columns, order or limit yet: the total beside a page, or a limit's use.
 * @param query such as `db.selectFrom('devices').where(…)`
 */
export async function countRows<Tables extends keyof Schema>(
  query: SelectQueryBuilder<Schema, Tables, object>,
): Promise<number> {
  const row = await query
    .clearSelect()
    .select((all) => all.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count
}
