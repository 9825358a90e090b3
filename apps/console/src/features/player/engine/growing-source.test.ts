import { createEventLines, headerLine } from '@bowline/asciicast/write'
import { describe, expect, it } from 'vitest'
import { createGrowingSource } from './growing-source.ts'

/** A growing file, and a clock that the test advances. */
function growing() {
  const lines = createEventLines()
  let file = headerLine({ columns: 90, rows: 20 })
  let due: (() => void) | undefined
  const asked: number[] = []
  let grown = 0
  const source = createGrowingSource({
    read: (after) => {
      asked.push(after)
      return Promise.resolve(new Response(Buffer.from(file).subarray(after)))
    },
    later: (work) => {
      due = work
      return () => (due = undefined)
    },
    grown: () => (grown += 1),
  })
  return {
    source,
    asked,
    say: (text: string, atMs: number) => (file += lines.next('o', text, atMs)),
    cutOff: (text: string) => (file += text),
    second: async (): Promise<void> => {
      const work = due
      due = undefined
      work?.()
      await new Promise(setImmediate)
      await new Promise(setImmediate)
    },
    waits: () => due !== undefined,
    grown: () => grown,
    size: () => Buffer.byteLength(file),
  }
}

describe('a recording that grows', () => {
  it('continues a growing recording from where it stopped reading', async () => {
    const { source, asked, say, second, size, grown } = growing()
    say('größe', 100)
    const part = await source.at(0)
    expect(part).toMatchObject({ columns: 90, rows: 20 })
    const before = size()
    say('more', 2_000)
    await second()
    expect(part.events.map(({ data }) => data)).toEqual(['größe', 'more'])
    expect(source.endMs).toBe(2_000)
    expect(asked).toEqual([0, before])
    expect(grown()).toBe(2)
  })

  it('waits for a line to be complete', async () => {
    const { source, cutOff, second, say } = growing()
    say('one', 10)
    const part = await source.at(0)
    cutOff('[0.5,"o","tw')
    await second()
    expect(part.events).toHaveLength(1)
    cutOff('o"]\n')
    await second()
    expect(part.events.map(({ data, atMs }) => [data, atMs])).toEqual([
      ['one', 10],
      ['two', 510],
    ])
  })

  it('stops polling when the player is closed', async () => {
    const { source, waits } = growing()
    await source.at(0)
    expect(waits()).toBe(true)
    source.close()
    expect(waits()).toBe(false)
  })
})
