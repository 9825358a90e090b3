// All rows of a list as a file: CSV with a heading line, or one JSON object a line.
import { fail } from '@bowline/contract/errors'
import type { ExportFormat } from '@bowline/contract/schemas/common'
import { csvLine } from '@bowline/base/csv'

/** Cells of a CSV line, by their headings. */
export type CsvColumns<Item> = readonly (readonly [heading: string, cell: (item: Item) => string])[]

/** Rows that are in memory at once. */
const PAGE = 500

interface ExportedList<Key, Item> {
  /** Keys of all rows in their order. */
  readonly keys: readonly Key[]
  /** Reads the rows of some keys in the same order. A row that is gone is left out. */
  read(keys: readonly Key[]): Promise<readonly Item[]>
  readonly format: ExportFormat
  readonly columns: CsvColumns<Item>
  /** Asked before each further page: whoever reads may lose the right meanwhile. */
  mayGoOn(): Promise<boolean>
}

/**
 * The text of the file in chunks, each read when the consumer pulls it.
 * @throws {Error} when `mayGoOn` says no, so that what has been written is no complete file
 */
export async function* exportedLines<Key, Item>(list: ExportedList<Key, Item>): AsyncGenerator<string> {
  const { keys, format, columns } = list
  const lineOf = (item: Item): string =>
    format === 'csv' ? csvLine(columns.map(([, cell]) => cell(item))) : `${JSON.stringify(item)}\n`
  if (format === 'csv') yield csvLine(columns.map(([heading]) => heading))
  for (let start = 0; start < keys.length; start += PAGE) {
    if (start > 0 && !(await list.mayGoOn())) throw new Error('the export has ended with the sign-in of its reader')
    yield (await list.read(keys.slice(start, start + PAGE))).map((item) => lineOf(item)).join('')
  }
}

/**
 * Refuses a list that one export cannot hold: part of it would look like all of it.
 * @param keys one more than `limit` when there are more
 * @param narrowed property that narrows such a list
 * @throws {BowlineError} INVALID_FILTER
 */
export function requireExportable(keys: readonly unknown[], limit: number, narrowed: string): void {
  if (keys.length > limit) {
    fail('INVALID_FILTER', { rule: `matches more than the ${limit} rows of one export; narrow it by ${narrowed}` })
  }
}
