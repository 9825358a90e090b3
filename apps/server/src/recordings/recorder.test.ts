import { describe, expect, it } from 'vitest'
import { fakeClock } from '../platform/testing.ts'
import { BULK_LIMIT_BYTES, type Recorder, createRecorder } from './recorder.ts'
import type { Spool } from './spool.ts'

/** A recorder over a file whose every write the test answers. */
function setUp(options: { required?: boolean; hasTerminal?: boolean; open?: () => Promise<Spool> } = {}) {
  const clock = fakeClock()
  const writes: { text: string; done: () => void; fail: (error: Error) => void }[] = []
  const passed: string[] = []
  const failures: unknown[] = []
  const sealed: string[] = []
  const counted: [output: number, recorded: number][] = []
  const spool: Spool = {
    bytes: 0,
    write(text) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      writes.push({ text, done: resolve, fail: reject })
      return promise
    },
    closeChunk: () => Promise.resolve(),
    sync: () => Promise.resolve(),
    seal: (state) => {
      sealed.push(state)
      return Promise.resolve()
    },
    abandon: () => Promise.resolve(),
  }
  let full = false
  const recorder: Recorder = createRecorder({
    clock,
    columns: 80,
    rows: 24,
    term: '',
    open: options.open ?? (() => Promise.resolve(spool)),
    requireRoom: () => (full ? Promise.reject(new Error('full')) : Promise.resolve()),
    required: options.required ?? false,
    hasTerminal: options.hasTerminal ?? true,
    failed: (error) => failures.push(error),
    finished: () => Promise.resolve(),
    counted: (...bytes) => {
      counted.push(bytes)
      return Promise.resolve()
    },
  })
  const say = (text: string): void => recorder.output(Buffer.from(text), 0, () => passed.push(text))
  const fill = (): void => {
    full = true
  }
  return { clock, writes, passed, failures, sealed, counted, recorder, say, fill }
}

/** Lets promises that are ready go on. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('a recorder', () => {
  it.each([
    [{ hasTerminal: false }, true],
    [{ hasTerminal: true }, false],
    [{ hasTerminal: false, required: true }, false],
  ])('of a seat with %o stops at bulk output: %s', async (options, stops) => {
    const { writes, passed, sealed, counted, recorder, say } = setUp(options)
    await settle()
    writes[0]?.done()
    await settle()
    const [bulk, late] = ['b'.repeat(BULK_LIMIT_BYTES), 'late']
    say(bulk)
    await settle()
    writes[1]?.done()
    await settle()
    say(late)
    await settle()
    expect(passed).toEqual(stops ? [bulk, late] : [bulk])
    writes[2]?.done()
    recorder.exit(0)
    await settle()
    writes.at(-1)?.done()
    await recorder.finish()
    const text = writes.map((write) => write.text).join('')
    expect([text.includes('is not recorded'), text.includes('"late"')]).toEqual([stops, !stops])
    expect(counted).toEqual([[BULK_LIMIT_BYTES + 4, stops ? BULK_LIMIT_BYTES : BULK_LIMIT_BYTES + 4]])
    expect([text.includes('"x", "0"') || text.includes('"x","0"'), sealed]).toEqual([true, ['complete']])
  })

  it('passes nothing on before the file has it, whatever the file takes, and everything in order', async () => {
    const { writes, passed, recorder, say } = setUp()
    await settle()
    writes[0]?.done()
    say('one')
    recorder.after(() => passed.push('(exit)'))
    await settle()
    say('two')
    await settle()
    expect(passed).toEqual([])
    expect(writes.map(({ text }) => text).slice(1)).toEqual(['[0,"o","one"]\n'])
    writes[1]?.done()
    await settle()
    expect(passed).toEqual(['one', '(exit)'])
    writes[2]?.done()
    await settle()
    expect(passed).toEqual(['one', '(exit)', 'two'])
  })

  it('that fails lets everything pass where recording is no must, and tells it once', async () => {
    const { writes, passed, failures, sealed, recorder, say } = setUp()
    await settle()
    writes[0]?.done()
    say('one')
    await settle()
    writes[1]?.fail(new Error('no room'))
    say('two')
    await settle()
    say('three')
    expect(passed).toEqual(['one', 'two', 'three'])
    expect(failures).toHaveLength(1)
    await recorder.finish()
    expect(sealed).toEqual(['truncated'])
  })

  it.each([
    ['a file that cannot be made', { open: () => Promise.reject(new Error('no row')) }],
    ['a file that takes nothing', {}],
  ])('with %s lets no output pass where it is a must, but the end', async (_, options) => {
    const { writes, passed, failures, recorder, say } = setUp({ required: true, ...options })
    say('one')
    recorder.after(() => passed.push('(end)'))
    await settle()
    writes[0]?.fail(new Error('no room'))
    await settle()
    say('two')
    expect(passed).toEqual(['(end)'])
    expect(failures).toHaveLength(1)
  })

  it('outlives a taker that throws', async () => {
    const { writes, passed, failures, recorder, say } = setUp()
    await settle()
    writes[0]?.done()
    recorder.after(() => {
      throw new Error('a defect')
    })
    say('one')
    await settle()
    writes[1]?.done()
    await settle()
    expect([passed, failures]).toEqual([['one'], [new Error('a defect')]])
  })

  it('stops while there is room left for others', async () => {
    const { clock, writes, failures, say, fill, passed } = setUp()
    await settle()
    writes[0]?.done()
    say('one')
    await settle()
    writes[1]?.done()
    await settle()
    fill()
    clock.advance(1_000)
    await settle()
    expect(failures).toHaveLength(1)
    say('two')
    expect(passed).toEqual(['one', 'two'])
    expect(writes).toHaveLength(2)
  })
})
