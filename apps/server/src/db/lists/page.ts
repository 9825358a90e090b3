// Pages of a long list. PostgreSQL scans every row before a page, so that pages near the end are read backwards.
import type { Kysely } from 'kysely'
import type { Schema } from '../schema.ts'

export interface Page {
  readonly limit: number
  readonly offset: number
}

export interface List<T> {
  /** Total number of rows. */
  total(db: Kysely<Schema>): Promise<number>
  /** Reads a page of the list, or of the list in exactly the opposite order. */
  read(db: Kysely<Schema>, page: Page, opposite: boolean): Promise<T[]>
  /**
   * True if the total is maintained (row-counts.ts), so that reading it is free; a filtered list is counted row by row.
   */
  readonly isTotalKept: boolean
}

/** Below this offset, reading backwards does not pay for the transaction. */
const FEW = 1_000

/**
 * Reads a page and the total number of rows.
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
        // Counted in the page's snapshot: a row inserted since the first count would shift the page.
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
