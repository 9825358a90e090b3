import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEventLines, headerLine } from '@bowline/asciicast/write'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Keyframe, createIndexWriter, keyframeAt, readScreen, readTable } from '../file/index-file.ts'
import { eventsIn } from '../file/ranges.ts'
import { endsInSequence, readThrough } from './reading-through.ts'
import { createScreen } from './screen.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-reading-through-'))
})
afterAll(() => rm(folder, { recursive: true }))

type Event = readonly [atMs: number, code: 'o' | 'r', data: string]

/** Writes a recording of these events. */
async function recording(name: string, events: readonly Event[], columns = 40, rows = 5): Promise<string> {
  const path = join(folder, `${name}.cast`)
  const lines = createEventLines()
  const text = events.map(([atMs, code, data]) => lines.next(code, data, atMs)).join('')
  await writeFile(path, headerLine({ columns, rows, term: 'xterm' }) + text)
  return path
}

async function textOf(name: string, events: readonly Event[]): Promise<[number, string][]> {
  const found: [number, string][] = []
  await using file = await open(await recording(name, events))
  await readThrough(file, {
    keyframe: () => Promise.resolve(),
    line: (atMs, text) => found.push([atMs, text]),
    pause: () => Promise.resolve(),
  })
  return found
}

describe('text of a recording', () => {
  it('extracts each visible text once, at its first appearance', async () => {
    const found = await textOf('text', [
      [0, 'o', '$ \u001b[1mls\u001b[0m\r\n'],
      [500, 'o', 'one two\r\n$ '],
      [1_000, 'o', 'ech'],
      [1_050, 'o', 'o hidden\b\b\b\b\b\bshown '],
      [2_000, 'o', '\u001b[2J\u001b[Hafter it was cleared'],
    ])
    expect(found).toEqual([
      [0, '$ ls'],
      [500, 'one two'],
      [500, '$'],
      [1_050, '$ echo shown'],
      [2_000, 'after it was cleared'],
    ])
  })

  it('bounds control sequences with a repeat count of 2,147,483,647', async () => {
    const huge = '@ILMPSTXZb'
      .split('')
      .map((final) => `\u001b[2147483647${final}`)
      .join('')
    const found = await textOf('huge', [
      [0, 'o', 'before'],
      [100, 'o', huge],
      [500, 'o', '\r\nafter'],
    ])
    expect(found).toEqual([
      [0, 'before'],
      [500, 'after'],
    ])
  })

  it('extracts every scrolled line, and a wrapped one as a whole', async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => `line number ${index}`)
    const long = 'word'.repeat(40)
    const found = await textOf('scrolled', [[10, 'o', [...lines, long, 'end'].join('\r\n')]])
    expect(found.map(([, text]) => text)).toEqual([...lines, long, 'end'])
  })

  it('extracts text of the alternate screen and lines scrolled after it', async () => {
    const after = Array.from({ length: 20 }, (_, index) => `after ${index}`)
    const found = await textOf('alternate', [
      [0, 'o', 'before\r\n'],
      [300, 'o', '\u001b[?1049h\u001b[Hinside the editor'],
      [500, 'o', `\u001b[?1049l${after.join('\r\n')}`],
    ])
    expect(found.map(([, text]) => text)).toEqual(['before', 'inside the editor', ...after])
  })
})

it.each([
  ['\u001b', true],
  ['x\u001b[38;5', true],
  ['\u001b]0;title', true],
  ['\u001b[0m', false],
  ['\u001b]0;title\u0007', false],
  ['plain', false],
])('detects whether %j ends within a control sequence: %s', (text, ends) => expect(endsInSequence(text)).toBe(ends))

describe('seeking in a recording of ten hours', () => {
  it('shows any time after reading less than 200 kB', async () => {
    // One coloured line per second; every tenth clears the screen.
    const events: Event[] = Array.from({ length: 36_000 }, (_, second): Event => {
      const clear = second % 10 === 0 ? '\u001b[2J\u001b[H' : ''
      return [second * 1_000, 'o', `${clear}\u001b[3${second % 8}msecond ${second} ${'.'.repeat(20)}\u001b[0m\r\n`]
    })
    const path = await recording('ten-hours', events)
    await using file = await open(path)
    await using index = await open(join(folder, 'ten-hours.index'), 'w+')
    const writer = createIndexWriter(index)
    const keyframes: Keyframe[] = []
    const { atMs } = await readThrough(file, {
      async keyframe(keyframe, screen) {
        keyframes.push(keyframe)
        await writer.add(keyframe, screen)
      },
      line: () => undefined,
      pause: () => Promise.resolve(),
    })
    const { size } = await file.stat()
    await writer.end(atMs, size)
    const table = await readTable(index)
    expect(table).toMatchObject({ atMs: 35_999_000, bytes: size })
    expect(table.keyframes.map(({ offset }) => offset)).toEqual(keyframes.map(({ offset }) => offset))
    expect(table.keyframes.length).toBeGreaterThan(10)
    for (const second of [0, 1, 9_999, 20_005, 35_999]) {
      const place = keyframeAt(table, second * 1_000)
      if (!place) throw new Error('there is no keyframe')
      const keyframe = { ...place, screen: await readScreen(index, place) }
      const seen: string[] = []
      const line = (_: number, text: string) => seen.push(text)
      const screen = await createScreen({ columns: place.columns, rows: place.rows, hasTerminal: true, line })
      let read = 0
      for await (const { events: some } of eventsIn(file, { fromMs: second * 1_000, toMs: second * 1_000, keyframe })) {
        for (const { data } of some) {
          read += data.length
          screen.write(data, 0)
        }
      }
      expect(read).toBeLessThan(200_000)
      await screen.settled()
      seen.length = 0
      screen.look(0)
      await screen.settled()
      const first = Math.max(second - (second % 10), second - 3)
      const expected = Array.from({ length: second - first + 1 }, (_, at) => `second ${first + at} ${'.'.repeat(20)}`)
      expect(seen).toEqual(expected)
    }
  })
})
