// rsync sends differences, compressed perhaps: what can be told of it is the stream as a whole.
import { createContentHash } from './content-hash.ts'
import type { FileListener, FileReader } from './operation.ts'

/** @param target what the command names on the device */
export function createRsyncReader(way: 'upload' | 'download', target: string, listener: FileListener): FileReader {
  const hash = createContentHash()
  let offset = 0
  const read = (bytes: Uint8Array): void => {
    hash.add(offset, bytes)
    offset += bytes.length
  }
  const pass = (): void => undefined
  return {
    fromPerson: way === 'upload' ? read : pass,
    fromDevice: way === 'download' ? read : pass,
    end: () => listener.done({ operation: way, path: target, ...hash.end(), result: 'rsync stream' }),
  }
}
