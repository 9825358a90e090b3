// Caches the most recently used index tables: seeking in a recording needs the same one repeatedly, and the table of a
// long recording takes longer to read than the requested part.
import { type Table, readTable } from './index-file.ts'
import type { RecordingFile } from './reading.ts'

/** Limit of cached tables, each of a few hundred kilobytes at most. */
const KEPT = 16

export interface TableCache {
  /**
   * The table of an open index.
   * @param id id of the recording
   * @throws {Error} for an invalid or incomplete index
   */
  read(id: string, file: RecordingFile): Promise<Table>
}

export function createTableCache(): TableCache {
  /** Least recently used first. */
  const kept = new Map<string, { readonly version: string; readonly table: Table }>()
  return {
    async read(id, file) {
      const { ino, size, mtimeMs, etag } = await file.stat()
      // An index is rebuilt when its recording has grown, as another file that replaces the first.
      const version = [ino, size, mtimeMs, etag].join(' ')
      const known = kept.get(id)
      const table = known?.version === version ? known.table : await readTable(file)
      kept.delete(id)
      kept.set(id, { version, table })
      for (const oldest of kept.keys()) {
        if (kept.size <= KEPT) break
        kept.delete(oldest)
      }
      return table
    },
  }
}
