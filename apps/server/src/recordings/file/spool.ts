// The file of one recording while it is written: lines go in, chunks are closed and reach the disk, a seal ends it.
// What could not be written whole is taken back, so that the file always ends with a line.
import { type FileHandle, constants, open } from 'node:fs/promises'
import { type ChainState, type Seal, type SealState, type Sign, createChain } from '@bowline/asciicast/chain'

/** A chunk is closed at this size, if time has not closed it before. */
const CHUNK_BYTES = 1_048_576

export interface Spool {
  /** Bytes in the file. */
  readonly bytes: number
  /** Appends lines, as text or as UTF-8. Rejects when the file does not take them; then none of them is in it. */
  write(lines: string | Uint8Array): Promise<void>
  /** Ends the chunk. */
  closeChunk(): Promise<void>
  /** Brings everything so far to the disk; lines may be written meanwhile. */
  sync(): Promise<void>
  /** Ends the recording and closes the file. Rejects when there is no room for the seal. @returns what it says */
  seal(state: SealState, atMs: number): Promise<Seal>
  /** Closes the file as it is. */
  abandon(): Promise<void>
}

/** Where an earlier life of the file has stopped. */
export interface SpoolState {
  readonly chain: ChainState
  readonly bytes: number
}

/**
 * Opens the file; writes only one at a time.
 * @param from default: the file is new and must not exist
 */
export async function openSpool(path: string, recording: string, sign: Sign, from?: SpoolState): Promise<Spool> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
  const file = await open(path, O_WRONLY | O_NOFOLLOW | (from ? 0 : O_CREAT | O_EXCL), 0o600)
  const chain = createChain(recording, sign, from?.chain)
  let length = from?.bytes ?? 0
  /** The end of a chunk that the file has not taken. */
  let owed = ''
  if (from) await file.truncate(length)

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
      // Another thread writes; this one hashes meanwhile.
      const takeBack = chain.add(bytes)
      await written.catch((error: unknown) => {
        takeBack()
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

async function writeWhole(file: FileHandle, buffer: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < buffer.length;) {
    const { bytesWritten } = await file.write(buffer, done, buffer.length - done, position + done)
    done += bytesWritten
  }
}
