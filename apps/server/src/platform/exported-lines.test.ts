import { describe, expect, it } from 'vitest'
import { exportedLines, requireExportable } from './exported-lines.ts'

const keys = Array.from({ length: 1_001 }, (_, i) => i)
const list = {
  keys,
  read: (some: readonly number[]) => Promise.resolve(some.filter((key) => key !== 3)),
  columns: [['number', String]] as const,
  mayGoOn: () => Promise.resolve(true),
}

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const chunks: string[] = []
  for await (const chunk of lines) chunks.push(chunk)
  return chunks
}

describe('the lines of an export', () => {
  it('have every row that is still there, once and in order', async () => {
    const chunks = await all(exportedLines({ ...list, format: 'jsonl' }))
    expect(chunks.join('').trimEnd().split('\n').map(Number)).toEqual(keys.filter((key) => key !== 3))
  })

  it('begin with the headings in CSV, also without rows', async () => {
    expect((await all(exportedLines({ ...list, keys: [], format: 'csv' }))).join('')).toBe('"number"\r\n')
  })

  it('end with an error once the reader may not go on', async () => {
    const read: number[] = []
    const exported = exportedLines({
      ...list,
      format: 'csv',
      read(some) {
        read.push(...some)
        return Promise.resolve(some)
      },
      mayGoOn: () => Promise.resolve(false),
    })
    await expect(all(exported)).rejects.toThrow('sign-in of its reader')
    expect(read).toEqual(keys.slice(0, 500))
  })
})

describe('a list that is longer than an export', () => {
  it('is refused with what narrows it, and one that just fits is not', () => {
    expect(() => requireExportable(keys, 1_001, 'started_at')).not.toThrow()
    expect(() => requireExportable(keys, 1_000, 'started_at')).toThrow(
      /1000 rows of one export; narrow it by started_at/,
    )
  })
})
