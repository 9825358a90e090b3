// rsync sends possibly compressed differences: only the stream as a whole can be reported.
import { createContentHash } from './content-hash.ts'
import type { FileListener, FileReader } from './operation.ts'

/** @param target path in the command */
export function createRsyncReader(way: 'upload' | 'download', target: string, listener: FileListener): FileReader {
  const hash = createContentHash()
  let offset = 0
  const read = (bytes: Uint8Array): void => {
    hash.add(offset, bytes)
    offset += bytes.length
  }
  const pass = (): void => undefined
  return {
    clientData: way === 'upload' ? read : pass,
    deviceData: way === 'download' ? read : pass,
    end: () => listener.done({ operation: way, path: target, ...hash.end(), result: 'rsync stream' }),
  }
}
