// Counts the rows of a query.
import type { SelectQueryBuilder } from 'kysely'
import type { Schema } from '../schema.ts'

/**
 * Counts the rows of a query without columns, order or limit: the total of a paged list, or the usage of a limit.
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
