// Entries of an archive as they are made, each with its hash in the list that ends the archive.
import { createHash } from 'node:crypto'
import { tarEntry, tarHeader, tarPadding } from '../db/backup/tar.ts'
import type { Spool } from './spool.ts'

export interface ArchiveEntries {
  /** A whole entry. Names are of our own words and ids. */
  whole(name: string, body: string | Uint8Array): Promise<Buffer>
  /** An entry of which the length is known and the bytes come in pieces. */
  streamed(name: string, bytes: number, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
  /** The content of a spool; ends the spool. */
  spooled(name: string, spool: Spool): AsyncGenerator<Uint8Array>
  /** The list of hashes, as `sha256sum --check` reads it. */
  sums(): AsyncGenerator<Uint8Array>
}

/**
 * @param sumsSpool gets the list of hashes
 * @param mtimeSeconds time of all entries
 */
export function archiveEntries(sumsSpool: Spool, mtimeSeconds: number): ArchiveEntries {
  const addSum = (name: string, hash: string) => sumsSpool.append(Buffer.from(`${hash}  ${name}\n`))

  async function* plain(name: string, bytes: number, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield tarHeader(name, bytes, mtimeSeconds)
    yield* pieces
    yield tarPadding(bytes)
  }
  async function* streamed(name: string, bytes: number, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256')
    async function* hashed(): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces) {
        hash.update(piece)
        yield piece
      }
    }
    yield* plain(name, bytes, hashed())
    await addSum(name, hash.digest('hex'))
  }
  return {
    async whole(name, body) {
      const bytes = Buffer.from(body)
      await addSum(name, createHash('sha256').update(bytes).digest('hex'))
      return tarEntry(name, bytes, mtimeSeconds)
    },
    streamed,
    async *spooled(name, spool) {
      spool.end()
      yield* streamed(name, spool.bytes, spool.follow())
    },
    async *sums() {
      sumsSpool.end()
      yield* plain('SHA256SUMS', sumsSpool.bytes, sumsSpool.follow())
    },
  }
}

/** A value as a file that people can read. */
export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
