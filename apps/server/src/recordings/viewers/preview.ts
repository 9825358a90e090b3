// A glimpse of a recording that is over: its last screen, its last commands, and how long it is.
import { PREVIEW_COMMANDS, type RecordingPreview } from '@bowline/contract/schemas/recording'
import type { TenantContext } from '../../context.ts'
import { countSessionTransfers } from '../../sessions/service.ts'
import { eventsIn } from '../file/ranges.ts'
import type { SomeEvents } from '../file/reading.ts'
import type { Recordings } from '../recordings.ts'
import { type SeatOf, findRange, getIndex, openRecording, storeAway } from '../service.ts'

/** Characters of output: the index has a keyframe every 64 KiB, except in the rest of a very long recording. */
const MOST_OUTPUT = 1_048_576

type Sized = NonNullable<RecordingPreview['screen']>[number]

/** @throws {BowlineError} NOT_FOUND; UNAVAILABLE when the store does not answer */
export async function getPreview(ctx: TenantContext, recordings: Recordings, which: SeatOf): Promise<RecordingPreview> {
  const { state, indexed, seconds, commands } = await getIndex(ctx, recordings, which)
  return {
    state,
    indexed,
    seconds,
    commands: { total: commands.length, last: commands.slice(-PREVIEW_COMMANDS) },
    files: await countSessionTransfers(ctx, which.uid),
    screen: indexed ? await lastScreen(ctx, recordings, which, seconds) : null,
  }
}

async function lastScreen(
  ctx: TenantContext,
  recordings: Recordings,
  which: SeatOf,
  seconds: number,
): Promise<Sized[]> {
  const { row, file } = await openRecording(ctx, recordings, which)
  const read = async () => {
    const range = await findRange(ctx, recordings, row, { from: seconds })
    return sizesOf(eventsIn(file, range ?? { fromMs: 0, toMs: Infinity }))
  }
  return read()
    .catch(storeAway)
    .finally(() => file.close())
}

async function sizesOf(parts: AsyncIterable<SomeEvents>): Promise<Sized[]> {
  const sizes: Sized[] = []
  let output = ''
  let length = 0
  let size: { columns: number; rows: number } | undefined
  const keep = (): void => {
    if (size && output !== '') sizes.push({ ...size, output })
    output = ''
  }
  for await (const { header, events } of parts) {
    if (header) size ??= { columns: header.columns, rows: header.rows }
    for (const { code, data } of events) {
      if (code === 'r') {
        keep()
        const [columns = 0, rows = 0] = data.split('x').map(Number)
        if (columns > 0 && rows > 0) size = { columns, rows }
      }
      if (code !== 'o') continue
      output += data
      length += data.length
    }
    if (length > MOST_OUTPUT) break
  }
  keep()
  return sizes
}
