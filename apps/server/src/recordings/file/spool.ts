// The file of one recording while it is written: appends lines, closes and flushes chunks, and ends with a seal.
// Incomplete writes are rolled back, so that the file always ends with a line.
import { type FileHandle, constants, open } from 'node:fs/promises'
import { type ChainState, type Seal, type SealState, type Sign, createChain } from '@bowline/asciicast/chain'

/** A chunk is closed at this size, or earlier by time. */
const CHUNK_BYTES = 1_048_576

export interface Spool {
  /** Bytes in the file. */
  readonly bytes: number
  /** Appends lines, as text or as UTF-8. Rejects when the write fails; then none of them is in the file. */
  write(lines: string | Uint8Array): Promise<void>
  /** Closes the chunk. */
  closeChunk(): Promise<void>
  /** Flushes everything so far to disk; lines may be written meanwhile. */
  sync(): Promise<void>
  /** Seals the recording and closes the file. Rejects without room for the seal. @returns the seal */
  seal(state: SealState, atMs: number): Promise<Seal>
  /** Closes the file without a seal; without effect once it is closed. */
  abandon(): Promise<void>
}

/** State in which an earlier writer left the file. */
export interface SpoolState {
  readonly chain: ChainState
  readonly bytes: number
}

/**
 * Opens the file; allows one write at a time.
 * @param from state to continue from; default: the file is new and must not exist
 */
export async function openSpool(path: string, recording: string, sign: Sign, from?: SpoolState): Promise<Spool> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
  const file = await open(path, O_WRONLY | O_NOFOLLOW | (from ? 0 : O_CREAT | O_EXCL), 0o600)
  const chain = createChain(recording, sign, from?.chain)
  let length = from?.bytes ?? 0
  /** A chunk end that could not be written yet. */
  let owed = ''
  if (from) await file.truncate(length).catch((error: unknown) => closed(file, error))

  async function append(bytes: Uint8Array): Promise<void> {
    try {
      await writeWhole(file, bytes, length)
    } catch (error) {
      await file.truncate(length)
      throw error
    }
    length += bytes.length
  }

  async function closeChunk(): Promise<void> {
    owed ||= chain.closeChunk()
    if (owed !== '') await append(Buffer.from(owed))
    owed = ''
  }

  return {
    get bytes() {
      return length
    },
    async write(lines) {
      const bytes = typeof lines === 'string' ? Buffer.from(lines) : lines
      const written = append(bytes)
      // The write runs on another thread; this one hashes meanwhile.
      const rollBack = chain.add(bytes)
      await written.catch((error: unknown) => {
        rollBack()
        throw error
      })
      if (chain.openBytes >= CHUNK_BYTES) await closeChunk()
    },
    closeChunk,
    sync: () => file.datasync(),
    async seal(state, atMs) {
      try {
        await closeChunk()
        const { line, seal } = chain.seal(state, atMs)
        await append(Buffer.from(line))
        await file.datasync()
        return seal
      } finally {
        await file.close()
      }
    },
    abandon: () => file.close(),
  }
}

/**
 * Does what follows the opening of a file, which nobody would close after its failure. Node ends the process when it
 * collects a handle that is still open.
 */
export async function orAbandon<T>(spool: Spool, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await spool.abandon().catch(() => undefined)
    throw error
  }
}

async function closed(file: FileHandle, error: unknown): Promise<never> {
  await file.close().catch(() => undefined)
  throw error
}

async function writeWhole(file: FileHandle, buffer: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < buffer.length;) {
    const { bytesWritten } = await file.write(buffer, done, buffer.length - done, position + done)
    done += bytesWritten
  }
}
