// The thread that reads answers of identity providers: fair between sources, bounded, and never the main thread.
import { systemClock } from '@bowline/base/clock'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ReadingTask, type SamlReader, createSamlReader } from './reader.ts'
import type { ResponseRules } from './response.ts'

let reader: SamlReader
let good: ReadingTask
beforeAll(async () => {
  const file = join(import.meta.dirname, 'testing/corpus/accepted.json')
  const { rules, message } = JSON.parse(await readFile(file, 'utf8')) as { rules: ResponseRules; message: string }
  const { requestId: inResponseTo, ...others } = rules
  good = { field: message, inResponseTo, rules: { ...others, decryptionKeys: [] } }
})
afterEach(() => reader.close())

const other = (): ReadingTask => ({ ...good, inResponseTo: '_another' })
const outcome = async (reading: Promise<{ nameId: string }>) => {
  try {
    return (await reading).nameId
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}

describe('the reader', () => {
  it('reads a message, and says why it refuses another', async () => {
    reader = createSamlReader(systemClock)
    expect(await outcome(reader.read(good, '192.0.2.1'))).toBe('person-1')
    const refused = reader.read(other(), '192.0.2.1')
    expect(await outcome(refused)).toBe('it answers another request than it seemed to')
    expect(await outcome(reader.read({ ...good, field: '!' }, '192.0.2.1'))).toBe('it is not base64')
  })

  it('lets sources take turns, and no source wait with many', async () => {
    reader = createSamlReader(systemClock)
    const done: string[] = []
    const send = async (source: string): Promise<void> => {
      const text = await outcome(reader.read(good, source))
      done.push(text === 'person-1' ? source : text)
    }
    const crowd = Array.from({ length: 5 }, () => send('192.0.2.1'))
    const one = send('198.51.100.1')
    await expect(reader.read(good, '192.0.2.1')).rejects.toThrow('Too many requests')
    await Promise.all([...crowd, one])
    // The first was read at once; the other source comes after one more of the crowd.
    expect(done.indexOf('198.51.100.1')).toBeLessThanOrEqual(2)
    expect(done.filter((source) => source === '192.0.2.1')).toHaveLength(5)
  })

  it('gives a message five seconds, and goes on with the next', async () => {
    const clock = new ManualClock()
    reader = createSamlReader(clock)
    const slow = outcome(reader.read(good, '192.0.2.1'))
    const next = outcome(reader.read(good, '192.0.2.1'))
    clock.advance(5_000)
    expect(await slow).toBe('reading it takes too long')
    expect(await next).toBe('person-1')
  })

  it('ends what waits when it is closed', async () => {
    reader = createSamlReader(systemClock)
    const readings = [outcome(reader.read(good, '192.0.2.1')), outcome(reader.read(good, '192.0.2.1'))]
    await reader.close()
    expect(await Promise.all(readings)).toEqual(['the server stops', 'the server stops'])
  })
})
