// The file beside a recording that makes it quick to enter anywhere: pictures of the screen, one after the other, then a
// table of where they are, then the length of that table. It is made of the recording and can be made again.
import type { FileHandle } from 'node:fs/promises'
import * as z from 'zod'
import type { RecordingFile } from './reading.ts'

/** A time at which the whole screen is known. */
export interface Keyframe {
  /** Milliseconds since the start. */
  readonly atMs: number
  /** Byte of the recording behind the last event that the screen includes. */
  readonly offset: number
  readonly columns: number
  readonly rows: number
}

const Place = z.object({
  atMs: z.number(),
  offset: z.number(),
  columns: z.number(),
  rows: z.number(),
  /** Where the picture is in this file. */
  position: z.number(),
  length: z.number(),
})
type Place = z.infer<typeof Place>

const Table = z.object({
  /** Time of the last event. */
  atMs: z.number(),
  /** Of the recording when this was made. */
  bytes: z.number(),
  keyframes: z.array(Place),
})
export type Table = z.infer<typeof Table>

/** Digits of the table's length, and a newline. */
const TRAILER_BYTES = 17

export interface IndexWriter {
  add(keyframe: Keyframe, screen: string): Promise<void>
  /** The last call. */
  end(atMs: number, bytes: number): Promise<void>
}

/** Writes an index from its first byte. */
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

/** @throws {Error} for a file that is no whole index */
export async function readTable(file: RecordingFile): Promise<Table> {
  const { size } = await file.stat()
  const trailer = await readText(file, Math.max(0, size - TRAILER_BYTES), TRAILER_BYTES)
  const length = Number(/^(\d{16})\n$/.exec(trailer)?.[1] ?? NaN)
  const start = size - TRAILER_BYTES - length
  if (!(start >= 0)) throw new Error('The index of a recording has no end.')
  return Table.parse(JSON.parse(await readText(file, start, length)))
}

/** The last keyframe that is not after a time; the first when all are. */
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

/** Output that shows what was to be seen at a keyframe. */
export function readScreen(file: RecordingFile, { position, length }: Place): Promise<string> {
  return readText(file, position, length)
}

async function readText(file: RecordingFile, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.toString('utf8', 0, bytesRead)
}
