// Format of a backup: a gzipped tar with a snapshot of the database.
//
//   manifest.json            Manifest
//   tables/<name>.<n>.copy   rows in COPY's text format, in parts of about a megabyte, in order
//   end.json                 End: the row counts, which prove completeness
import { z } from 'zod'

const FORMAT = 1
export const MANIFEST_NAME = 'manifest.json'
export const END_NAME = 'end.json'

/** A part ends with the row that fills it. */
export const PART_BYTES = 1_048_576
/** Maximum size of an entry, which reading holds in memory. */
export const MAX_ENTRY_BYTES = 64 * 1_048_576

export function partName(table: string, part: number): string {
  return `tables/${table}.${String(part).padStart(4, '0')}.copy`
}

/** Table of a part; undefined for any other entry. */
export function tableOfPart(name: string): string | undefined {
  return /^tables\/([^/]+)\.\d{4,}\.copy$/.exec(name)?.[1]
}

export const Manifest = z.object({
  product: z.literal('bowline'),
  format: z.literal(FORMAT),
  /** Version of the server that wrote the backup. */
  version: z.string(),
  created_at: z.iso.datetime(),
  migrations: z.array(z.object({ version: z.number().int(), name: z.string(), checksum: z.string() })).min(1),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()).min(1) })),
  /** `BOWLINE_SECRET_KEY`, if requested. */
  secret_key: z.string().optional(),
})
export type Manifest = z.infer<typeof Manifest>

export const End = z.object({ rows: z.record(z.string(), z.number().int().nonnegative()) })

/** Number of rows per table. */
export type RowCounts = Readonly<Record<string, number>>

/** The backup cannot be made or used; the message gives the reason and a remedy. */
export class BackupRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'BackupRefused'
  }
}
