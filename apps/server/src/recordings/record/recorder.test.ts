import { MAX_LINE_BYTES } from '@bowline/asciicast/lines'
import { array, assert, asyncProperty, constantFrom, oneof, record, string, uint8Array } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { usedBytes } from '../../testing/memory.ts'
import { BULK_LIMIT_BYTES, type OpenedRecording, type Recorder, createRecorder } from './recorder.ts'
import type { Spool } from '../file/spool.ts'

interface Options {
  readonly required?: boolean
  readonly hasTerminal?: boolean
  readonly open?: () => Promise<OpenedRecording>
  /** Every write succeeds immediately. */
  readonly takesAll?: boolean
}

/** A recorder over a file whose writes are completed by the test. */
function setUp(options: Options = {}) {
  const clock = new ManualClock()
  const writes: { text: string; done: () => void; fail: (error: Error) => void }[] = []
  const passed: string[] = []
  const failures: unknown[] = []
  const sealed: string[] = []
  const counted: [output: number, recorded: number][] = []
  const spool: Spool = {
    bytes: 0,
    write(lines) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      writes.push({ text: Buffer.from(lines).toString(), done: resolve, fail: reject })
      if (options.takesAll) resolve()
      return promise
    },
    closeChunk: () => Promise.resolve(),
    sync: () => Promise.resolve(),
    seal: (state) => {
      sealed.push(state)
      return Promise.resolve({ recording: '', chunks: 0, hash: '', state, atMs: 0 })
    },
    abandon: () => Promise.resolve(),
  }
  let full = false
  const recorder: Recorder = createRecorder({
    clock,
    columns: 80,
    rows: 24,
    term: '',
    open: options.open ?? (() => Promise.resolve({ spool, identity: '' })),
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
  const output = (text: string | Uint8Array, lane: 0 | 1 = 0): void =>
    recorder.output(Buffer.from(text), lane, (bytes) => passed.push(Buffer.from(bytes).toString()))
  const fill = (): void => {
    full = true
  }
  return { clock, writes, passed, failures, sealed, counted, recorder, output, fill }
}

/** UTF-8 split at any byte, and invalid bytes. */
const anyBytes = oneof(
  string({ unit: 'binary' }).map((text) => Buffer.from(text)),
  constantFrom(...[...Buffer.from('\u20ac\u{1f600}\ufeff')].map((byte) => Uint8Array.of(byte))),
  uint8Array({ maxLength: 8 }),
)

/** Runs the continuations of settled promises. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('recorder', () => {
  it.each([
    [{ hasTerminal: false }, true],
    [{ hasTerminal: true }, false],
    [{ hasTerminal: false, required: true }, false],
  ])('stops at the bulk output limit with %o: %s', async (options, stops) => {
    const { writes, passed, sealed, counted, recorder, output } = setUp({ ...options, takesAll: true })
    output('b'.repeat(BULK_LIMIT_BYTES))
    output('late')
    recorder.exit(0)
    await recorder.finish()
    expect(passed.join('').length).toBe(BULK_LIMIT_BYTES + 4)
    const text = writes.map((write) => write.text).join('')
    expect([text.includes('is not recorded'), text.includes('"late"')]).toEqual([stops, !stops])
    expect(counted).toEqual([[BULK_LIMIT_BYTES + 4, stops ? BULK_LIMIT_BYTES : BULK_LIMIT_BYTES + 4]])
    expect([text.includes('"x","0"'), sealed]).toEqual([true, ['complete']])
  })

  it('makes one event and one piece of output that arrives during a write, up to 50 ms', async () => {
    const { clock, writes, passed, recorder, output } = setUp()
    await settle()
    writes[0]?.done()
    output('one')
    await settle()
    for (const text of ['two', 'three']) output(text)
    clock.advance(49)
    output('four')
    clock.advance(1)
    output('five')
    recorder.resize(90, 30)
    output('six')
    output('seven', 1)
    writes[1]?.done()
    await settle()
    writes[2]?.done()
    await settle()
    expect(writes[2]?.text.split('\n')).toEqual([
      '[0,"o","twothreefour"]',
      '[0.05,"o","five"]',
      '[0,"r","90x30"]',
      '[0,"o","six"]',
      '[0,"o","seven"]',
      '',
    ])
    expect(passed).toEqual(['one', 'twothreefour', 'five', 'six', 'seven'])
  })

  it('records no window size that is unchanged', async () => {
    const { writes, recorder } = setUp({ takesAll: true })
    for (const columns of [80, 90, 90, 80, 80]) recorder.resize(columns, 24)
    await recorder.finish()
    const lines = writes.flatMap(({ text }) => text.split('\n'))
    expect(lines.filter((line) => line.includes('"r"'))).toEqual(['[0,"r","90x24"]', '[0,"r","80x24"]'])
  })

  it('records arbitrary bytes split anywhere and passes on every byte', async () => {
    await assert(
      asyncProperty(array(record({ bytes: anyBytes, lane: constantFrom(0 as const, 1 as const) })), async (cut) => {
        // An incomplete character at the end is decided by the next bytes.
        const pieces = [...cut, ...new Set(cut.map(({ lane }) => lane))].map((piece) =>
          typeof piece === 'number' ? { bytes: Buffer.from('\n'), lane: piece } : piece,
        )
        const { writes, recorder } = setUp({ takesAll: true })
        const passed: Buffer[][] = [[], []]
        for (const { bytes, lane } of pieces) {
          // The recorder may use this memory during the call only.
          const lent = Uint8Array.from(bytes)
          recorder.output(lent, lane, (piece) => passed[lane]?.push(Buffer.from(piece)))
          lent.fill(0)
        }
        await recorder.finish()
        const lanes = [0, 1].map((lane) => pieces.filter((piece) => piece.lane === lane).map(({ bytes }) => bytes))
        expect(passed.map((some) => Buffer.concat(some))).toEqual(lanes.map((some) => Buffer.concat(some)))
        const events = writes.flatMap(({ text }) => text.split('\n').slice(0, -1)).slice(1)
        const text = events.map((line) => String((JSON.parse(line) as unknown[])[2])).join('')
        const decoded = lanes.map((some) =>
          new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(some), { stream: true }),
        )
        expect(text.split('').toSorted()).toEqual(decoded.join('').split('').toSorted())
        expect(lanes[1]?.length === 0 ? text : decoded[0]).toBe(decoded[0])
      }),
      { numRuns: 200 },
    )
  })

  it.each([1, 63, 64, 1_000, 16_384, 16_385, 131_072, 200_000])(
    'grows with pending output: %d bytes, then more',
    async (size) => {
      const { writes, passed, recorder, output } = setUp()
      await settle()
      const pieces = ['first', 'x'.repeat(size), 'y'.repeat(3), 'z'.repeat(40_000), 'last']
      pieces.forEach((piece, index) => output(piece, index === 2 ? 1 : 0))
      const written = recorder.finish()
      for (let next = 0; next < 20; next += 1) {
        writes[next]?.done()
        await settle()
      }
      await written
      expect(passed.join('')).toBe(pieces.join(''))
      const events = writes.flatMap(({ text }) => text.split('\n').slice(0, -1)).slice(1)
      expect(events.map((line) => String((JSON.parse(line) as unknown[])[2])).join('')).toBe(pieces.join(''))
    },
  )

  it('keeps output of more than one block in order', async () => {
    const { writes, passed, recorder, output } = setUp({ takesAll: true })
    const all = Array.from({ length: 50_000 }, (_, line) => `line ${line} \u001b[m`).join('\n')
    for (let at = 0; at < all.length; at += 10_007) output(all.slice(at, at + 10_007))
    await recorder.finish()
    const events = writes.flatMap(({ text }) => text.split('\n').slice(0, -1)).slice(1)
    expect(events.map((line) => String((JSON.parse(line) as unknown[])[2])).join('')).toBe(all)
    expect(Math.max(...events.map((line) => line.length))).toBeLessThan(MAX_LINE_BYTES)
    expect(passed.join('')).toBe(all)
  })

  it('holds under 16 kB per recorder when hundreds of them wait for a stalled disk', async () => {
    const before = usedBytes()
    const all = Array.from({ length: 500 }, () => setUp())
    await settle()
    for (const { writes, output } of all) {
      writes[0]?.done()
      output('a')
    }
    await settle()
    // The first character is being written, the second waits.
    for (const { output } of all) output('b')
    const each = (usedBytes() - before) / all.length
    expect(all.map(({ writes }) => writes.length)).toEqual(all.map(() => 2))
    expect(each).toBeLessThan(16_384)
  })

  it('passes nothing on before it is written, and everything in order', async () => {
    const { writes, passed, recorder, output } = setUp()
    await settle()
    writes[0]?.done()
    output('one')
    recorder.after(() => passed.push('(exit)'))
    await settle()
    output('two')
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

  it('passes output on after a failure of optional recording and reports it once', async () => {
    const { writes, passed, failures, sealed, recorder, output } = setUp()
    await settle()
    writes[0]?.done()
    output('one')
    await settle()
    writes[1]?.fail(new Error('no room'))
    output('two')
    await settle()
    output('three')
    expect(passed).toEqual(['one', 'two', 'three'])
    expect(failures).toHaveLength(1)
    await recorder.finish()
    expect(sealed).toEqual(['truncated'])
  })

  it.each([
    ['a file cannot be created', { open: () => Promise.reject(new Error('no row')) }],
    ['a write fails', {}],
  ])('drops output of required recording but passes the end on when %s', async (_, options) => {
    const { writes, passed, failures, recorder, output } = setUp({ required: true, ...options })
    output('one')
    recorder.after(() => passed.push('(end)'))
    await settle()
    writes[0]?.fail(new Error('no room'))
    await settle()
    output('two')
    expect(passed).toEqual(['(end)'])
    expect(failures).toHaveLength(1)
  })

  it('survives a callback that throws', async () => {
    const { writes, passed, failures, recorder, output } = setUp()
    await settle()
    writes[0]?.done()
    recorder.after(() => {
      throw new Error('a defect')
    })
    output('one')
    await settle()
    writes[1]?.done()
    await settle()
    expect([passed, failures]).toEqual([['one'], [new Error('a defect')]])
  })

  it('stops recording at the disk reserve', async () => {
    const { clock, writes, failures, output, fill, passed } = setUp()
    await settle()
    writes[0]?.done()
    output('one')
    await settle()
    writes[1]?.done()
    await settle()
    fill()
    clock.advance(1_000)
    await settle()
    expect(failures).toHaveLength(1)
    output('two')
    expect(passed).toEqual(['one', 'two'])
    expect(writes).toHaveLength(2)
  })
})
