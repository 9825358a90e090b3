import { expect, it } from 'vitest'
import type { CastEvent } from '@bowline/asciicast/cast'
import { sizesAt } from './sizes.ts'

const part = (...events: CastEvent[]) => ({ columns: 80, rows: 24, events })
const output = (atMs: number, data: string): CastEvent => ({ atMs, code: 'o', data })

it('has the output up to the moment, at the size of its time', () => {
  const all = part(output(0, 'a'), output(1_000, 'b'), { atMs: 2_000, code: 'r', data: '100x30' }, output(3_000, 'c'))
  expect(sizesAt(all, 1_000)).toEqual([{ columns: 80, rows: 24, output: 'ab' }])
  expect(sizesAt(all, 3_000)).toEqual([
    { columns: 80, rows: 24, output: 'ab' },
    { columns: 100, rows: 30, output: 'c' },
  ])
})

it('is an empty screen before the first output', () => {
  expect(sizesAt(part(output(1_000, 'a')), 500)).toEqual([{ columns: 80, rows: 24, output: '' }])
})

it('leaves out what is too much to draw', () => {
  expect(sizesAt(part(output(0, 'x'.repeat(2_000_000))), 0)).toBeUndefined()
})
