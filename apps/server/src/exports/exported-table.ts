// One table in an export.
import type { RawBuilder, SqlBool } from 'kysely'

/** Reasons for columns that are left out. */
export const INTERNAL = 'means nothing outside of the server'
export const SECRET = 'secret'

export interface ExportedTable {
  /** Columns in the archive. */
  readonly columns: readonly string[]
  /** Columns that identify a row, for a stable order. */
  readonly order: readonly string[]
  /** Expressions of columns that are not exported as they are stored. */
  readonly shown?: Readonly<Record<string, RawBuilder<unknown>>>
  /** Values beside the columns, by name. */
  readonly more?: Readonly<Record<string, RawBuilder<unknown>>>
  /** Condition of rows that are exported; absent: all that the connection sees. */
  readonly where?: RawBuilder<SqlBool>
  /** Columns that are left out, with the reason. */
  readonly without?: Readonly<Record<string, string>>
}
