// Archives that commands write to files.
import { createWriteStream } from 'node:fs'
import { link, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

/**
 * Writes a compressed archive to a new file. A file with the final name is complete.
 * @throws {Error} when it exists
 */
export async function writeArchive(file: string, bytes: AsyncGenerator<Uint8Array>): Promise<void> {
  const part = `${file}.part`
  try {
    const to = createWriteStream(part, { mode: 0o600, flags: 'wx', flush: true })
    await pipeline(Readable.from(bytes, { objectMode: false }), createGzip(), to)
    await link(part, file)
  } finally {
    await rm(part, { force: true })
  }
}
