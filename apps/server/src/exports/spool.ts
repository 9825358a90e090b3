// Temporary file that is read while it is written: what is made faster than it is taken waits on disk, not in memory. It
// has no name, so that nothing is left of it, however the process ends.
import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createLineSplitter } from '@bowline/asciicast/lines'
import { requireRoom } from '../recordings/file/disk-space.ts'

const PIECE_BYTES = 65_536

export interface Spool {
  /** Length so far, in bytes. */
  readonly bytes: number
  /** @throws {NoRoom} when the disk is full */
  append(bytes: Uint8Array): Promise<void>
  /** Nothing more follows. @param error why: readers get it after what was written */
  end(error?: Error): void
  /** Everything from the start, until its end. */
  follow(): AsyncGenerator<Uint8Array>
  /** Its lines, without line ends. */
  lines(): AsyncGenerator<string>
  close(): Promise<void>
}

/** @param folder for the file; it is created */
export async function openSpool(folder: string): Promise<Spool> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${randomUUID()}.part`)
  const file = await open(path, 'wx+', 0o600)
  await rm(path)
  return spoolOf(file, folder)
}

function spoolOf(file: FileHandle, folder: string): Spool {
  let bytes = 0
  let ended: { readonly error: Error | undefined } | undefined
  let wake: () => void = () => undefined

  async function* follow(): AsyncGenerator<Uint8Array> {
    for (let position = 0; ;) {
      if (position < bytes) {
        const length = Math.min(PIECE_BYTES, bytes - position)
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, position)
        position += bytesRead
        yield buffer.subarray(0, bytesRead)
      } else if (ended) {
        if (ended.error) throw ended.error
        return
      } else {
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        await promise
      }
    }
  }

  return {
    get bytes() {
      return bytes
    },
    async append(some) {
      await requireRoom(folder)
      await file.write(some, 0, some.length, bytes)
      bytes += some.length
      wake()
    },
    end(error) {
      ended ??= { error }
      wake()
    },
    follow,
    async *lines() {
      const splitter = createLineSplitter()
      for await (const piece of follow()) {
        for (const line of splitter.push(piece)) yield Buffer.from(line).toString().trimEnd()
      }
    },
    close: () => file.close(),
  }
}
