// Streams recording files of any length in little memory, also while they are written.
import type { CastEvent, CastHeader } from '@bowline/asciicast/cast'
import { createLineSplitter } from '@bowline/asciicast/lines'
import { createCastReader } from '@bowline/asciicast/read'
import type { Verdict, Verifier } from '@bowline/asciicast/verify'

const PIECE_BYTES = 65_536

/** Distinguishes a file from its replacement. */
export interface FileState {
  /** In bytes. */
  readonly size: number
  /** Files only. */
  readonly ino?: number
  readonly mtimeMs?: number
  /** Objects only. */
  readonly etag?: string
}

/** A readable recording or index: a file of this node (`FileHandle`) or of another one, or an object of a store. */
export interface RecordingFile {
  /** Fills the buffer; reads less at the end. */
  read(
    buffer: Buffer<ArrayBuffer>,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number; readonly buffer: Buffer<ArrayBuffer> }>
  stat(): Promise<FileState>
  close(): Promise<void>
}

/** Thrown when the file is on the disk of another node, and that cannot be asked. */
export class OtherNodeAway extends Error {
  constructor() {
    super('The node with the file cannot be reached.')
  }
}

/** @param from start offset in bytes */
export async function* pieces(file: RecordingFile, from = 0): AsyncGenerator<Uint8Array> {
  for (let position = from; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Batches of complete lines. A last one without newline is still being written or was truncated. */
export async function* lines(file: RecordingFile, from = 0): AsyncGenerator<string[]> {
  const splitter = createLineSplitter()
  for await (const piece of pieces(file, from)) {
    yield splitter.push(piece).map((line) => Buffer.from(line).toString())
  }
}

/** A batch of events; without header until the first line is complete. */
export interface SomeEvents {
  readonly header: CastHeader | undefined
  readonly events: readonly CastEvent[]
}

/** A position after the header of a recording. */
export interface Place {
  readonly header: CastHeader
  /** Start offset in bytes, at the beginning of a line. */
  readonly offset: number
  /** Time of the event before it, in milliseconds since the start. */
  readonly atMs: number
}

/** Header and events in batches. @param from default: the first event */
export async function* events(file: RecordingFile, from?: Place): AsyncGenerator<SomeEvents> {
  const reader = createCastReader(from)
  for await (const some of lines(file, from?.offset)) {
    const found = some.flatMap((line) => reader.next(line) ?? [])
    yield { header: reader.header, events: found }
  }
}

export async function readVerdict(file: RecordingFile, verifier: Verifier): Promise<Verdict> {
  for await (const piece of pieces(file)) verifier.push(piece)
  return verifier.end()
}

/**
 * The time of the last event, in milliseconds since the start, and the complete lines from an offset on, which belong
 * to one chunk.
 */
export async function timeOfLastEvent(file: RecordingFile, from: number): Promise<{ atMs: number; tail: string }> {
  let atMs = 0
  for await (const some of events(file)) atMs = some.events.at(-1)?.atMs ?? atMs
  let tail = ''
  for await (const some of lines(file, from)) tail += some.join('')
  return { atMs, tail }
}
