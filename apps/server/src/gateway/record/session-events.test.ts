import { describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { MAX_KEPT, createSessionEvents } from './session-events.ts'

function setUp() {
  const clock = new ManualClock()
  const batches: (readonly { type: string; seat: number; data: object }[])[] = []
  const events = createSessionEvents(clock, () => {
    for (let batch = events.take(); batch; batch = events.take()) batches.push(batch)
  })
  return { clock, events, batches }
}

describe('session events', () => {
  it('batches session events for 250 ms', () => {
    const { clock, events, batches } = setUp()
    events.note('pty-req', 0, { term: 'xterm' })
    clock.advance(249)
    events.note('shell', 0)
    expect(batches).toEqual([])
    clock.advance(1)
    expect(batches.map((batch) => batch.map(({ type }) => type))).toEqual([['pty-req', 'shell']])
  })

  it('flushes a full batch at once', () => {
    const { events, batches } = setUp()
    for (let count = 0; count < 256; count += 1) events.note('env', 0, { name: String(count) })
    expect(batches.map((batch) => batch.length)).toEqual([256])
  })

  it('keeps only the last window size of a batch', () => {
    const { clock, events, batches } = setUp()
    for (let columns = 1; columns <= 10_000; columns += 1) events.note('window-change', 0, { columns })
    events.note('window-change', 1, { columns: 7 })
    clock.advance(250)
    expect(batches.flat().map(({ seat, data }) => [seat, data])).toEqual([
      [0, { columns: 10_000 }],
      [1, { columns: 7 }],
    ])
  })

  it('drops a window size that is unchanged', () => {
    const { clock, events, batches } = setUp()
    const resize = (columns: number, seat = 0): void => {
      events.note('window-change', seat, { columns, rows: 24 })
      clock.advance(250)
    }
    events.note('pty-req', 0, { term: 'xterm', columns: 80, rows: 24 })
    for (const columns of [80, 90, 90, 80]) resize(columns)
    resize(80, 1)
    const sizes = batches.flat().filter(({ type }) => type === 'window-change')
    expect(sizes.map(({ seat, data }) => [seat, data])).toEqual([
      [0, { columns: 90, rows: 24 }],
      [0, { columns: 80, rows: 24 }],
      [1, { columns: 80, rows: 24 }],
    ])
  })

  it('returns unwritten events before later ones', () => {
    const { events } = setUp()
    events.note('shell', 0)
    const batch = events.take() ?? []
    events.note('exit-status', 0, { status: 0 })
    events.requeue(batch)
    expect(events.take()?.map(({ type }) => type)).toEqual(['shell', 'exit-status'])
  })

  it('bounds pending events while nothing can be written', () => {
    const events = createSessionEvents(new ManualClock(), () => undefined)
    for (let count = 0; count < 5_000; count += 1) events.note('signal', 0, { signal: 'USR1' })
    let waiting = 0
    for (let batch = events.take(); batch; batch = events.take()) waiting += batch.length
    expect(waiting).toBe(1_024)
  })

  it('keeps each type and seat once beyond the event limit', () => {
    const { clock, events, batches } = setUp()
    for (let count = 0; count < MAX_KEPT + 500; count += 1) events.note('signal', 0, { signal: 'USR1' })
    events.note('exit-status', 0, { status: 3 })
    events.note('exit-status', 0, { status: 3 })
    clock.advance(250)
    expect(batches.flat().length).toBe(MAX_KEPT + 1)
    expect(batches.flat().at(-1)?.type).toBe('exit-status')
  })

  it('truncates event texts and makes them storable', () => {
    const { clock, events, batches } = setUp()
    events.note('exec', 0, { command: `a\0b\uD800${'x'.repeat(9_000)}` })
    clock.advance(250)
    const { command } = { command: '', ...batches[0]?.[0]?.data }
    expect(command.slice(0, 4)).toBe('a\uFFFDb\uFFFD')
    expect(command).toHaveLength(4_096)
  })
})
