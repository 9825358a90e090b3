// A page of a long list. PostgreSQL passes every row before the page, so that one near the end is read from the end.
import type { Kysely } from 'kysely'
import type { Schema } from '../schema.ts'

export interface Page {
  readonly limit: number
  readonly offset: number
}

export interface List<T> {
  /** How many rows it has. */
  total(db: Kysely<Schema>): Promise<number>
  /** A page of the list, or of the list in exactly the opposite order. */
  read(db: Kysely<Schema>, page: Page, opposite: boolean): Promise<T[]>
  /** The total costs nothing (row-counts.ts); a list with a filter is counted row by row. */
  readonly isTotalKept: boolean
}

/** Below this many rows reading from the end saves nothing worth a transaction. */
const FEW = 1_000

/**
 * A page and how many rows the whole list has.
 * @param db outside a transaction
 */
export function readPage<T>(
  db: Kysely<Schema>,
  page: Page,
  list: List<T>,
): Promise<{ rows: readonly T[]; total: number }> {
  return db.connection().execute(async (one) => {
    const total = await list.total(one)
    if (page.offset >= total) return { rows: [], total }
    if (!list.isTotalKept || page.offset < FEW || page.offset <= total / 2) {
      return { rows: await list.read(one, page, false), total }
    }
    return one
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (trx) => {
        // Of the page's own moment: a row that came since the first look would move the page.
        const now = await list.total(trx)
        const rows = await list.read(trx, fromEnd(page, now), true)
        return { rows: rows.toReversed(), total: now }
      })
  })
}

/** The same page counted from the end; one beyond the end has a limit of 0. */
export function fromEnd({ limit, offset }: Page, total: number): Page {
  const size = Math.max(0, Math.min(limit, total - offset))
  return { limit: size, offset: Math.max(0, total - offset - size) }
}
