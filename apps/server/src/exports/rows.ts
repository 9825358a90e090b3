// Rows of tables as entries of an archive, from one snapshot.
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { ArchiveEntries } from './entries.ts'
import type { Spool } from './spool.ts'
import { readRows } from './store.ts'
import type { ExportedTable } from './tables.ts'

/** A part of a table ends with the row that fills it. */
const PART_BYTES = 4 * 1_048_576

export interface RowsTarget {
  /** Gets the entries; it ends with them, or with the reason why they end early. */
  readonly rows: Spool
  /** Number of rows by table; filled meanwhile. */
  readonly counts: Record<string, number>
  readonly entries: Pick<ArchiveEntries, 'whole'>
  readonly stopping: AbortSignal
}

/**
 * Writes all tables as entries of the archive.
 * @param db connection that sees the rows
 * @param also reads more of the same snapshot, at the end of it
 */
export async function writeRows(
  db: Kysely<Schema>,
  tables: Readonly<Record<string, ExportedTable>>,
  { rows, counts, entries, stopping }: RowsTarget,
  also: (db: Kysely<Schema>) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  try {
    const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
    await snapshot.execute(async (inner) => {
      for (const [table, columns] of Object.entries(tables)) {
        let count = 0
        const batches = readRows(inner, table, columns)
        for await (const part of parts(batches, (some) => (count += some.length), stopping)) {
          await rows.append(await entries.whole(`tables/${table}.${part.name}.jsonl`, part.body))
        }
        counts[table] = count
      }
      await also(inner)
    })
    rows.end()
  } catch (error) {
    rows.end(error instanceof Error ? error : new Error('the rows could not be read'))
    throw error
  }
}

/** Joins rows to lines in parts of some megabytes; a table without rows has an empty one. */
async function* parts(
  batches: AsyncIterable<readonly string[]>,
  count: (rows: readonly string[]) => void,
  stopping: AbortSignal,
): AsyncGenerator<{ readonly name: string; readonly body: Buffer }> {
  let number = 1
  let pending: Buffer[] = []
  let bytes = 0
  const part = () => ({ name: String(number).padStart(4, '0'), body: Buffer.concat(pending) })
  for await (const batch of batches) {
    stopping.throwIfAborted()
    count(batch)
    const lines = Buffer.from(batch.map((line) => `${line}\n`).join(''))
    pending.push(lines)
    bytes += lines.length
    if (bytes < PART_BYTES) continue
    yield part()
    number += 1
    pending = []
    bytes = 0
  }
  if (bytes > 0 || number === 1) yield part()
}

/** The part of a manifest about tables and columns that are left out. */
export function leftOut(
  tables: Readonly<Record<string, ExportedTable>>,
  others: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const columns = Object.entries(tables).flatMap(([table, { without }]) => (without ? [[table, without]] : []))
  return { tables: others, columns: Object.fromEntries(columns) }
}
