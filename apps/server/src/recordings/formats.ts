// A recording in the forms that clients read (architecture.md section 8, ruling 6), made while the file is read.
import type { FileHandle } from 'node:fs/promises'
import { v2EventLine, v2HeaderLine } from '@bowline/asciicast/write'
import type { RecordedFrame } from '@bowline/contract/schemas/session'
import { events, lines } from './reading.ts'
import type { RecordingRow } from './store.ts'

export type Format = 'frames' | 'cast' | 'cast3'

/** The file in a format. */
export async function* inFormat(file: FileHandle, row: RecordingRow, format: Format): AsyncGenerator<string> {
  if (format === 'frames') yield* frames(file, row)
  else if (format === 'cast') yield* versionTwo(file)
  else for await (const some of lines(file)) yield some.join('')
}

async function* versionTwo(file: FileHandle): AsyncGenerator<string> {
  let begun = false
  for await (const { header, events: some } of events(file)) {
    if (!header) continue
    const text = some.map((event) => v2EventLine(event) ?? '').join('')
    yield begun ? text : v2HeaderLine(header) + text
    begun = true
  }
}

/** A JSON array of chunks of output, each with the size that the terminal had. */
async function* frames(file: FileHandle, row: RecordingRow): AsyncGenerator<string> {
  let size: { width: number; height: number } | undefined
  let separator = '['
  for await (const { header, events: some } of events(file)) {
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
