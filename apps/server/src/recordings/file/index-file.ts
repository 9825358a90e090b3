// The index file beside a recording, for fast seeking: snapshots of the screen, then a table of their positions, then
// the length of that table. Derived from the recording and reproducible.
import type { FileHandle } from 'node:fs/promises'
import * as z from 'zod'
import type { RecordingFile } from './reading.ts'

/** A time with a snapshot of the whole screen. */
export interface Keyframe {
  /** Milliseconds since the start. */
  readonly atMs: number
  /** Offset in the recording after the last event that the snapshot includes. */
  readonly offset: number
  readonly columns: number
  readonly rows: number
}

const Place = z.object({
  atMs: z.number(),
  offset: z.number(),
  columns: z.number(),
  rows: z.number(),
  /** Offset of the snapshot in this file. */
  position: z.number(),
  length: z.number(),
})
type Place = z.infer<typeof Place>

const Table = z.object({
  /** Time of the last event. */
  atMs: z.number(),
  /** Size of the recording when the index was built. */
  bytes: z.number(),
  keyframes: z.array(Place),
})
export type Table = z.infer<typeof Table>

/** The table's length in digits, and a newline. */
const TRAILER_BYTES = 17

export interface IndexWriter {
  add(keyframe: Keyframe, screen: string): Promise<void>
  /** Must be the last call. */
  end(atMs: number, bytes: number): Promise<void>
}

/** Writes an index from its start. */
export function createIndexWriter(file: FileHandle): IndexWriter {
  const keyframes: Place[] = []
  let position = 0
  const append = async (text: string): Promise<number> => {
    const bytes = Buffer.from(text)
    for (let done = 0; done < bytes.length;) {
      done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten
    }
    position += bytes.length
    return bytes.length
  }
  return {
    async add({ atMs, offset, columns, rows }, screen) {
      const start = position
      keyframes.push({ atMs, offset, columns, rows, position: start, length: await append(screen) })
    },
    async end(atMs, bytes) {
      const length = await append(`${JSON.stringify({ atMs, bytes, keyframes })}\n`)
      await append(`${String(length).padStart(TRAILER_BYTES - 1, '0')}\n`)
    },
  }
}

/** @throws {Error} for an invalid or incomplete index */
export async function readTable(file: RecordingFile): Promise<Table> {
  const { size } = await file.stat()
  const trailer = await readText(file, Math.max(0, size - TRAILER_BYTES), TRAILER_BYTES)
  const length = Number(/^(\d{16})\n$/.exec(trailer)?.[1] ?? NaN)
  const start = size - TRAILER_BYTES - length
  if (!(start >= 0)) throw new Error('The index of a recording has no end.')
  return Table.parse(JSON.parse(await readText(file, start, length)))
}

/** The last keyframe at or before a time; the first if all are later. */
export function keyframeAt({ keyframes }: Table, atMs: number): Place | undefined {
  let low = 0
  let high = keyframes.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((keyframes[middle]?.atMs ?? Infinity) <= atMs) low = middle + 1
    else high = middle
  }
  return keyframes[Math.max(0, low - 1)]
}

/** Output that reproduces the screen at a keyframe. */
export function readScreen(file: RecordingFile, { position, length }: Place): Promise<string> {
  return readText(file, position, length)
}

async function readText(file: RecordingFile, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.toString('utf8', 0, bytesRead)
}
