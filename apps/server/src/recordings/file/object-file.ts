// Reads an object of the store like a file, with few requests and little memory.
import type { S3Client, StoredObject } from '../../platform/s3/client.ts'
import type { RecordingFile } from './reading.ts'

/** Limit of bytes requested at once and buffered when reading sequentially. */
const MAX_AHEAD_BYTES = 1_048_576

export function openObject(client: S3Client, key: string, { size, etag }: StoredObject): RecordingFile {
  let kept: Buffer<ArrayBuffer> = Buffer.alloc(0)
  let keptFrom = 0
  let ahead = 0

  /** A read that continues the last one is probably sequential: doubles the request size each time. */
  async function fetchFrom(position: number, length: number): Promise<void> {
    const goesOn = kept.length > 0 && position === keptFrom + kept.length
    ahead = goesOn ? Math.min(MAX_AHEAD_BYTES, ahead * 2) : length
    kept = await client.read(key, position, Math.max(length, ahead))
    keptFrom = position
  }

  return {
    async read(buffer, offset, length, position) {
      if (position >= size || length === 0) return { bytesRead: 0, buffer }
      if (position < keptFrom || position >= keptFrom + kept.length) await fetchFrom(position, length)
      let bytesRead = kept.copy(buffer, offset, position - keptFrom, position - keptFrom + length)
      if (bytesRead < length && position + bytesRead < size) {
        await fetchFrom(position + bytesRead, length - bytesRead)
        bytesRead += kept.copy(buffer, offset + bytesRead, 0, length - bytesRead)
      }
      return { bytesRead, buffer }
    },
    stat: () => Promise.resolve({ size, etag }),
    close: () => Promise.resolve(),
  }
}
