// The tables of the indexes that were used last: whoever seeks in a recording asks for the same one again and again, and
// that of a long recording takes longer to read than the part that is wanted.
import { type Table, readTable } from './index-file.ts'
import type { RecordingFile } from './reading.ts'

/** Of a few hundred kilobytes at most. */
const KEPT = 16

export interface TableCache {
  /**
   * The table of an open index.
   * @param id of the recording
   * @throws {Error} for a file that is no whole index
   */
  read(id: string, file: RecordingFile): Promise<Table>
}

export function createTableCache(): TableCache {
  /** In order of use, the last used last. */
  const kept = new Map<string, { readonly version: string; readonly table: Table }>()
  return {
    async read(id, file) {
      const { ino, size, mtimeMs, etag } = await file.stat()
      // An index is made again when its recording has grown: as another file, which takes the place of the first.
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
