// Reads files of recordings piece by piece: of any length in little memory, also while they are written.
import type { CastEvent, CastHeader } from '@bowline/asciicast/cast'
import { createLineSplitter } from '@bowline/asciicast/lines'
import { createCastReader } from '@bowline/asciicast/read'
import type { Verdict, Verifier } from '@bowline/asciicast/verify'

const PIECE_BYTES = 65_536

/** What tells a file from the one that takes its place. */
export interface FileState {
  /** In bytes. */
  readonly size: number
  /** Of a file. */
  readonly ino?: number
  readonly mtimeMs?: number
  /** Of an object. */
  readonly etag?: string
}

/** A recording, or the index beside it, to be read: a file of this node (`FileHandle`) or an object of a store. */
export interface RecordingFile {
  /** Fills the buffer; with less at the end. */
  read(
    buffer: Buffer<ArrayBuffer>,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number; readonly buffer: Buffer<ArrayBuffer> }>
  stat(): Promise<FileState>
  close(): Promise<void>
}

/** @param from byte to start at */
export async function* pieces(file: RecordingFile, from = 0): AsyncGenerator<Uint8Array> {
  for (let position = from; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Whole lines, some at a time. A last one without an end is being written, or was cut off. */
export async function* lines(file: RecordingFile, from = 0): AsyncGenerator<string[]> {
  const splitter = createLineSplitter()
  for await (const piece of pieces(file, from)) {
    yield splitter.push(piece).map((line) => Buffer.from(line).toString())
  }
}

/** What has been read of a recording at once; no header before the first line is whole. */
export interface SomeEvents {
  readonly header: CastHeader | undefined
  readonly events: readonly CastEvent[]
}

/** A place behind the header of a recording. */
export interface Place {
  readonly header: CastHeader
  /** Byte to start at, where a line begins. */
  readonly offset: number
  /** Time of the event before it, in milliseconds since the start. */
  readonly atMs: number
}

/** Header and events, some at a time. @param from default: the first */
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
 * The time of the last event, in milliseconds since the start, and the whole lines from a byte on, which are those of
 * one chunk.
 */
export async function timeOfLastEvent(file: RecordingFile, from: number): Promise<{ atMs: number; tail: string }> {
  let atMs = 0
  for await (const some of events(file)) atMs = some.events.at(-1)?.atMs ?? atMs
  let tail = ''
  for await (const some of lines(file, from)) tail += some.join('')
  return { atMs, tail }
}
