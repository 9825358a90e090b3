import { createEventLines, headerLine } from '@bowline/asciicast/write'
import { expect, it } from 'vitest'
import { readCast } from './cast-pages.ts'

it('leaves out window sizes that repeat the one before', async () => {
  const lines = createEventLines()
  const text = [
    headerLine({ columns: 80, rows: 24 }),
    lines.next('r', '90x24', 0),
    lines.next('o', 'a', 1_000),
    lines.next('r', '90x24', 2_000),
    lines.next('o', 'b', 3_000),
    lines.next('r', '80x24', 4_000),
  ]
  const { events } = await readCast(new Response(Buffer.concat(text.map((line) => Buffer.from(line)))), 1_000)
  expect(events.map(({ atMs, code, data }) => [atMs, code, data])).toEqual([
    [0, 'r', '90x24'],
    [1_000, 'o', 'a'],
    [3_000, 'o', 'b'],
    [4_000, 'r', '80x24'],
  ])
})
