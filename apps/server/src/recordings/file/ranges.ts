// Parts of a recording that play on their own: the screen at their start is the first event.
import type { CastEvent } from '@bowline/asciicast/cast'
import { createCastReader } from '@bowline/asciicast/read'
import type { Keyframe } from './index-file.ts'
import { type RecordingFile, type SomeEvents, events, lines } from './reading.ts'

/** Milliseconds since the start, both ends included. */
export interface Range {
  readonly fromMs: number
  readonly toMs: number
  /** The last keyframe at or before `fromMs`, with the output that shows its screen; without one all is read. */
  readonly keyframe?: Keyframe & { readonly screen: string }
}

/** RIS (ECMA-48 section 8.3.105): resets the terminal to its initial state. */
const RESET = '\u001bc'

/** Events of a range at their own times; earlier events since the keyframe come at the range's start. */
export async function* eventsIn(file: RecordingFile, { fromMs, toMs, keyframe }: Range): AsyncGenerator<SomeEvents> {
  const header = keyframe && (await headerOf(file))
  const from = keyframe && header && { header, offset: keyframe.offset, atMs: keyframe.atMs }
  if (keyframe && header) {
    const { columns, rows, screen } = keyframe
    yield { header: { ...header, columns, rows }, events: [{ atMs: fromMs, code: 'o', data: RESET + screen }] }
  }
  for await (const { header: read, events: some } of events(file, from)) {
    const wanted = some.filter(({ atMs }) => atMs <= toMs)
    yield { header: read, events: wanted.map((event): CastEvent => ({ ...event, atMs: Math.max(event.atMs, fromMs) })) }
    if (wanted.length < some.length) return
  }
}

/** The empty screen at a recording's start; undefined before its first line is written. */
export async function firstKeyframe(file: RecordingFile): Promise<Keyframe | undefined> {
  const header = await headerOf(file)
  return header && { atMs: 0, offset: 0, columns: header.columns, rows: header.rows }
}

async function headerOf(file: RecordingFile) {
  const reader = createCastReader()
  for await (const some of lines(file)) {
    for (const line of some) {
      reader.next(line)
      if (reader.header) return reader.header
    }
  }
  return undefined
}
