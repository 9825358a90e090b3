// Indexing and seeking a recording of ten hours in constant memory.
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEventLines, headerLine } from '@bowline/asciicast/write'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { usedBytes } from '../testing/memory.ts'
import { createIndexWriter, keyframeAt, readScreen } from './file/index-file.ts'
import { eventsIn } from './file/ranges.ts'
import { readThrough } from './index/reading-through.ts'
import { createTableCache } from './file/table-cache.ts'

const SECONDS = 36_000
const BYTES = 40_000_000
/** Far below the file size: buffers, a screen, the table. */
const MAX_GROWTH = 12_000_000
/** Sampling interval: garbage collection takes longer than the measured work. */
const LOOK_EVERY = 100
const SEEKS = 200
const EVENTS_PER_SECOND = 4

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-long-recording-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Writes the recording by the minute: each second shows its number on a screen of its own. */
async function write(path: string): Promise<void> {
  await using file = await open(path, 'w')
  const lines = createEventLines()
  await file.write(headerLine({ columns: 100, rows: 30, term: 'xterm' }))
  const padding = 'x'.repeat(Math.floor(BYTES / SECONDS / EVENTS_PER_SECOND) - 40)
  for (let minute = 0; minute < SECONDS / 60; minute += 1) {
    const some = Array.from({ length: 60 * EVENTS_PER_SECOND }, (_, event) => {
      const second = minute * 60 + Math.floor(event / EVENTS_PER_SECOND)
      return lines.next('o', `\u001b[Hsecond ${second} ${padding}\r\n`, second * 1_000)
    })
    await file.write(some.join(''))
  }
}

it('indexes a recording of ten hours and seeks 200 times in constant memory', async () => {
  const path = join(folder, 'ten-hours.cast')
  await write(path)
  await using file = await open(path)
  await using index = await open(`${path}.index`, 'w+')
  const { size } = await file.stat()
  expect(size).toBeGreaterThan(BYTES * 0.9)
  let most = 0
  let moments = 0
  const before = usedBytes()
  const sample = (): void => {
    if (++moments % LOOK_EVERY === 0) most = Math.max(most, usedBytes() - before)
  }
  const writer = createIndexWriter(index)
  const { atMs } = await readThrough(file, {
    keyframe: (keyframe, screen) => writer.add(keyframe, screen),
    line: () => undefined,
    pause: () => Promise.resolve(sample()),
  })
  await writer.end(atMs, size)
  const tables = createTableCache()
  for (let seek = 0; seek < SEEKS; seek += 1) {
    const second = (seek * 7_919) % SECONDS
    const place = keyframeAt(await tables.read('ten-hours', index), second * 1_000 - 1)
    if (!place) throw new Error('there is no keyframe')
    const range = { fromMs: second * 1_000, toMs: second * 1_000 }
    const keyframe = { ...place, screen: await readScreen(index, place) }
    let read = 0
    let last = ''
    for await (const { events } of eventsIn(file, { ...range, keyframe })) {
      for (const { data } of events) {
        read += data.length
        last = data
      }
      sample()
    }
    expect(last).toContain(`second ${second} `)
    expect(read).toBeLessThan(400_000)
  }
  expect(most).toBeLessThan(MAX_GROWTH)
}, 120_000)
