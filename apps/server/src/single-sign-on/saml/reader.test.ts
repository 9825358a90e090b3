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

  it('keeps nobody out for one network with many sources, and lets networks take turns', async () => {
    reader = createSamlReader(systemClock)
    const read: string[] = []
    const send = async (source: string): Promise<string> => {
      const text = await outcome(reader.read(good, source))
      if (text === 'person-1') read.push(source)
      return text
    }
    const crowd = Array.from({ length: 300 }, (_, nth) => send(`2001:db8:7:${nth.toString(16)}::1`))
    expect(await send('198.51.100.1')).toBe('person-1')
    // The first of the crowd was read at once; the other network comes after one more of it.
    expect(read.indexOf('198.51.100.1')).toBeLessThanOrEqual(2)
    const outcomes = await Promise.all(crowd)
    expect(outcomes.filter((text) => text === 'person-1')).toHaveLength(50)
    expect(new Set(outcomes)).toEqual(new Set(['person-1', 'Too many requests; try again in 1 s.']))
  })

  it('drops a message whose request has closed before its turn', async () => {
    reader = createSamlReader(systemClock)
    const ended: string[] = []
    const first = outcome(reader.read(good, '192.0.2.1')).then(() => ended.push('first'))
    const closed = new AbortController()
    const dropped = outcome(reader.read(good, '192.0.2.1', closed.signal)).then(() => ended.push('dropped'))
    const next = outcome(reader.read(good, '192.0.2.1')).then(() => ended.push('next'))
    closed.abort()
    await Promise.all([first, dropped, next])
    expect(ended).toEqual(['dropped', 'first', 'next'])
  })

  it('gives a message five seconds, and goes on with the next', async () => {
    const clock = new ManualClock()
    reader = createSamlReader(clock)
    const slow = outcome(reader.read(good, '192.0.2.1'))
    const next = outcome(reader.read(good, '192.0.2.1'))
    // It gets its turn in this round of the event loop, in which no thread can have answered.
    await new Promise((resolve) => setImmediate(resolve))
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
