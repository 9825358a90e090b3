// Reads a file with many requests under way, in order.
import { OPEN } from '@bowline/sftp/protocol'
import type { Handle, SftpClient } from './sftp-client.ts'

/** Every server answers as many bytes to one request. */
export const PIECE_BYTES = 32 * 1024
/** Requests under way: a megabyte, which keeps a connection of 100 Mbit/s and 80 ms busy. */
export const AT_ONCE = 32

export interface ReadOptions {
  readonly signal: AbortSignal
  /** Bytes, as far as it is known: files of the kernel say 0. */
  readonly size: number
  /** Takes the next bytes; reading waits for it. */
  readonly write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void> | void
}

/** @throws {SftpError} as the device refuses it; the reason of the signal; what `write` throws */
export async function readFile(client: SftpClient, path: string, options: ReadOptions): Promise<void> {
  const handle = await client.open(path, OPEN.read)
  try {
    await readAll(client, handle, options)
  } finally {
    await client.close(handle).catch(() => undefined)
  }
}

async function readAll(client: SftpClient, handle: Handle, { signal, size, write }: ReadOptions): Promise<void> {
  const pieces: Promise<Uint8Array<ArrayBuffer>>[] = []
  let next = 0
  for (;;) {
    signal.throwIfAborted()
    // Beyond the known end only one by one: there is hardly anything.
    while (pieces.length < AT_ONCE && (next < size || pieces.length === 0)) {
      const piece = readPiece(client, handle, next)
      // It is awaited later, when it may have failed already.
      piece.catch(() => undefined)
      pieces.push(piece)
      next += PIECE_BYTES
    }
    const bytes = await pieces.shift()
    if (!bytes || bytes.length === 0) return
    await write(bytes)
    if (bytes.length < PIECE_BYTES) return
  }
}

/** @returns fewer bytes at the end of the file only */
async function readPiece(client: SftpClient, handle: Handle, offset: number): Promise<Uint8Array<ArrayBuffer>> {
  const first = await client.read(handle, offset, PIECE_BYTES)
  if (!first || first.length === PIECE_BYTES) return first ?? new Uint8Array(0)
  const piece = new Uint8Array(PIECE_BYTES)
  piece.set(first)
  let length = first.length
  while (length < PIECE_BYTES) {
    const more = await client.read(handle, offset + length, PIECE_BYTES - length)
    if (!more || more.length === 0) break
    piece.set(more.subarray(0, PIECE_BYTES - length), length)
    length += more.length
  }
  return piece.slice(0, Math.min(length, PIECE_BYTES))
}
