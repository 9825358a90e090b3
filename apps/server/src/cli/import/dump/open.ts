// The bytes of a dump: plain SQL of pg_dump, or that compressed by gzip.
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { ConfigError } from '@bowline/contract/config'

/** Where a tar archive has its mark. */
const TAR_AT = 257
const GZIP = Buffer.from([0x1f, 0x8b])

/** @throws {ConfigError} for a file that cannot be read, and for other formats, with what makes them plain */
export async function openDump(file: string): Promise<AsyncIterable<Buffer>> {
  const found = await stat(file).catch(() => {
    throw new ConfigError([`${file} cannot be read.`])
  })
  const head = found.isDirectory() ? undefined : await headOf(file)
  const isArchive =
    head === undefined ||
    head.subarray(0, 5).toString('latin1') === 'PGDMP' ||
    head.subarray(TAR_AT, TAR_AT + 5).toString('latin1') === 'ustar'
  if (isArchive) {
    throw new ConfigError([
      `${file} is an archive of pg_dump, not plain SQL. This makes plain SQL of it: pg_restore -f dump.sql ${file}`,
    ])
  }
  const bytes = createReadStream(file)
  return head.subarray(0, 2).equals(GZIP) ? unzipped(bytes, file) : bytes
}

async function headOf(file: string): Promise<Buffer> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(512), 0, 512, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

async function* unzipped(bytes: NodeJS.ReadableStream, file: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  bytes.on('error', (error) => gunzip.destroy(error)).pipe(gunzip)
  try {
    yield* gunzip
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ConfigError([`${file} cannot be unpacked: ${why}.`])
  }
}
