// A part of a recording that a player can begin with: what the screen showed at its start comes as its first event.
import type { CastEvent } from '@bowline/asciicast/cast'
import { createCastReader } from '@bowline/asciicast/read'
import type { Keyframe } from './index-file.ts'
import { type RecordingFile, type SomeEvents, events, lines } from './reading.ts'

/** Milliseconds since the start, both ends included. */
export interface Range {
  readonly fromMs: number
  readonly toMs: number
  /** The last one that is not after `fromMs`, with the output that shows its screen; without one all is read. */
  readonly keyframe?: Keyframe & { readonly screen: string }
}

/** RIS (ECMA-48 section 8.3.105): the terminal is as it was when it was switched on. */
const RESET = '\u001bc'

/** The events of a range at their own times; what leads to its first moment comes at that moment. */
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

/** The empty screen that a recording begins with; undefined before its first line is written. */
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
