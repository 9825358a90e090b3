// Converts a recording to client formats while the file is read.
import { createEventLines, headerLine, v2EventLine, v2HeaderLine } from '@bowline/asciicast/write'
import type { RecordedFrame } from '@bowline/contract/schemas/session'
import { type Range, eventsIn } from './file/ranges.ts'
import { type RecordingFile, type SomeEvents, events, lines } from './file/reading.ts'
import type { RecordingRow } from './store.ts'

export type Format = 'frames' | 'cast' | 'cast3'

type Events = AsyncIterable<SomeEvents>

/**
 * Streams the file in a format.
 * @param range default: all of it, the only case in which version 3 includes chain and seal
 */
export async function* inFormat(
  file: RecordingFile,
  row: RecordingRow,
  format: Format,
  range?: Range,
): AsyncGenerator<string> {
  if (format === 'cast3' && !range) {
    yield* fileFrom(file, 0)
    return
  }
  const all = range ? eventsIn(file, range) : events(file)
  if (format === 'frames') yield* frames(all, row)
  else if (format === 'cast') yield* versionTwo(all)
  else yield* versionThree(all)
}

/** Complete lines of the file from an offset on, unchanged: version 3 with chain and seal. */
export async function* fileFrom(file: RecordingFile, byte: number): AsyncGenerator<string> {
  for await (const some of lines(file, byte)) yield some.join('')
}

async function* versionTwo(all: Events): AsyncGenerator<string> {
  let begun = false
  for await (const { header, events: some } of all) {
    if (!header) continue
    const text = some.map((event) => v2EventLine(event) ?? '').join('')
    yield begun ? text : v2HeaderLine(header) + text
    begun = true
  }
}

async function* versionThree(all: Events): AsyncGenerator<string> {
  const written = createEventLines()
  let begun = false
  for await (const { header, events: some } of all) {
    if (!header) continue
    const text = some.map(({ code, data, atMs }) => written.next(code, data, atMs)).join('')
    yield begun ? text : headerLine(header) + text
    begun = true
  }
}

/** A JSON array of output chunks, each with the terminal's size at that time. */
async function* frames(all: Events, row: RecordingRow): AsyncGenerator<string> {
  let size: { width: number; height: number } | undefined
  let separator = '['
  for await (const { header, events: some } of all) {
    if (header) size ??= { width: header.columns, height: header.rows }
    let text = ''
    for (const { code, data, atMs } of some) {
      if (code === 'r') size = sizeOf(data) ?? size
      if (code !== 'o' || !size) continue
      const frame: RecordedFrame = {
        uid: row.session_uid,
        seat: row.seat,
        message: data,
        tenant_id: row.tenant_id,
        time: new Date(row.started_at.getTime() + atMs).toISOString(),
        ...size,
      }
      text += separator + JSON.stringify(frame)
      separator = ','
    }
    yield text
  }
  yield separator === '[' ? '[]' : ']'
}

function sizeOf(data: string): { width: number; height: number } | undefined {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(data) ?? []
  return width === undefined || height === undefined ? undefined : { width: Number(width), height: Number(height) }
}
