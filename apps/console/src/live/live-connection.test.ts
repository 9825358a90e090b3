import type { LiveEvent } from '@bowline/contract/schemas/event'
import { describe, expect, it } from 'vitest'
import { type FakeTimers, createFakeTimers } from '../testing/fake-timers.ts'
import { type LiveConnection, type LiveState, createLiveConnection } from './live-connection.ts'

/** A stream that the test controls. */
interface Stream {
  readonly lastEventId: string
  readonly signal: AbortSignal
  send(text: string): void
  end(): void
}

function setUp({ refuse = () => false }: { refuse?: () => boolean } = {}) {
  const timers = createFakeTimers()
  const streams: Stream[] = []
  const events: LiveEvent[] = []
  const opened: boolean[] = []
  let attempts = 0
  const live = createLiveConnection({
    later: timers.later,
    random: () => 0.999_999,
    onEvent: (event) => events.push(event),
    onOpen: (resumed) => opened.push(resumed),
    open: async (lastEventId, signal) => {
      attempts += 1
      if (refuse()) throw new TypeError('fetch failed')
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const writer = writable.getWriter()
      signal.addEventListener('abort', () => void writer.abort(signal.reason).catch(() => undefined))
      streams.push({
        lastEventId,
        signal,
        send: (text) => void writer.write(new TextEncoder().encode(text)).catch(() => undefined),
        end: () => void writer.close().catch(() => undefined),
      })
      return new Response(readable)
    },
  })
  return { live, timers, streams, events, opened, attempts: () => attempts }
}

/** Pending reconnect delays; the other timer is the silence timeout. */
const pausesOf = ({ waiting }: FakeTimers) => waiting.filter((delay) => delay < 45_000)

const removed = (digit: string): LiveEvent => ({ type: 'device.removed', uid: digit.repeat(64) as never })
const block = (id: string, event: LiveEvent) => `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
async function is(live: LiveConnection, state: LiveState): Promise<void> {
  await expect.poll(() => live.state.get(), { interval: 1 }).toBe(state)
}

describe('the live connection', () => {
  it('delivers events and is live once the stream is open', async () => {
    const { live, streams, events, opened } = setUp()
    live.start()
    expect(live.state.get()).toBe('connecting')
    await is(live, 'live')
    streams[0]?.send(block('1', removed('a')))
    await expect.poll(() => events, { interval: 1 }).toEqual([removed('a')])
    expect(opened).toEqual([false])
  })

  it('says at once that it is lost, and comes back by itself or at the first chance', async () => {
    const { live, timers, streams } = setUp()
    live.start()
    live.lost()
    expect(live.state.get()).toBe('reconnecting')
    live.reconnectNow()
    await is(live, 'live')
    streams[1]?.send(block('7', removed('a')))
    live.lost()
    live.lost()
    expect([live.state.get(), streams.at(-1)?.signal.aborted]).toEqual(['reconnecting', true])
    const [pause = 0] = pausesOf(timers)
    timers.advance(pause)
    await is(live, 'live')
    live.stop()
    live.lost()
    expect(live.state.get()).toBe('stopped')
  })

  it('pauses between slices of many events that arrive at once', async () => {
    const { live, timers, streams, events } = setUp()
    live.start()
    await is(live, 'live')
    const many = Array.from({ length: 45 }, (_, at) => block(String(at + 1), removed('a')))
    streams[0]?.send(many.join(''))
    for (const delivered of [20, 40]) {
      await expect.poll(() => timers.waiting.includes(0), { interval: 1 }).toBe(true)
      expect(events).toHaveLength(delivered)
      timers.advance(0)
    }
    await expect.poll(() => events.length, { interval: 1 }).toBe(45)
  })

  it('delivers nothing more after it was stopped in a pause', async () => {
    const { live, timers, streams, events } = setUp()
    live.start()
    await is(live, 'live')
    streams[0]?.send(Array.from({ length: 45 }, (_, at) => block(String(at + 1), removed('a'))).join(''))
    await expect.poll(() => timers.waiting.includes(0), { interval: 1 }).toBe(true)
    live.stop()
    timers.advance(0)
    await expect.poll(() => timers.waiting, { interval: 1 }).toEqual([])
    expect(events).toHaveLength(20)
  })

  it('ignores unknown events and data that is not JSON', async () => {
    const { live, streams, events } = setUp()
    live.start()
    await is(live, 'live')
    streams[0]?.send(`data: {"type":"moon.landed"}\n\ndata: {{\n\n${block('3', removed('b'))}`)
    await expect.poll(() => events, { interval: 1 }).toEqual([removed('b')])
  })

  it('resumes after the last event it saw when the stream ends', async () => {
    const { live, streams, events, opened, timers } = setUp()
    live.start()
    await is(live, 'live')
    streams[0]?.send(block('life-41', removed('a')))
    await expect.poll(() => events.length, { interval: 1 }).toBe(1)
    streams[0]?.end()
    await is(live, 'reconnecting')
    timers.advance(1_000)
    await is(live, 'live')
    expect(streams[1]?.lastEventId).toBe('life-41')
    expect(opened).toEqual([false, true])
  })

  it('doubles the reconnect delay after each failure, up to half a minute', async () => {
    const { live, timers, attempts } = setUp({ refuse: () => true })
    live.start()
    const pauses: number[] = []
    for (let count = 1; count <= 9; count += 1) {
      await expect.poll(() => [attempts(), pausesOf(timers).length], { interval: 1 }).toEqual([count, 1])
      const [pause = 0] = pausesOf(timers)
      pauses.push(Math.ceil(pause))
      timers.advance(pause)
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000])
  })

  it('counts a stream that ends at once as a failure, so that it never spins', async () => {
    const { live, timers, streams } = setUp()
    live.start()
    const pauses: number[] = []
    for (let count = 1; count <= 4; count += 1) {
      await is(live, 'live')
      streams.at(-1)?.end()
      await is(live, 'reconnecting')
      const [pause = 0] = pausesOf(timers)
      pauses.push(Math.ceil(pause))
      timers.advance(pause)
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000])
  })

  it('resets the reconnect delay after a stream that lasted', async () => {
    const { live, timers, streams } = setUp()
    live.start()
    await is(live, 'live')
    streams[0]?.end()
    await is(live, 'reconnecting')
    timers.advance(1_000)
    await is(live, 'live')
    timers.advance(6_000)
    streams[1]?.end()
    await is(live, 'reconnecting')
    expect(pausesOf(timers).map(Math.ceil)).toEqual([1_000])
  })

  it('drops a silent stream after 45 seconds, counting comments as activity', async () => {
    const { live, timers, streams } = setUp()
    live.start()
    await is(live, 'live')
    timers.advance(44_000)
    streams[0]?.send(': still here\n\n')
    // The comment has been read once the silence timeout has moved.
    await expect.poll(() => timers.dueAt, { interval: 1 }).toContain(89_000)
    timers.advance(44_000)
    expect(streams[0]?.signal.aborted).toBe(false)
    timers.advance(1_001)
    expect(streams[0]?.signal.aborted).toBe(true)
    await is(live, 'reconnecting')
  })

  it('stops for good, and starts fresh the next time', async () => {
    const { live, timers, streams, events } = setUp()
    live.start()
    await is(live, 'live')
    streams[0]?.send(block('9', removed('a')))
    await expect.poll(() => events.length, { interval: 1 }).toBe(1)
    live.stop()
    expect(streams[0]?.signal.aborted).toBe(true)
    await new Promise<void>((resolve) => setImmediate(resolve))
    expect([live.state.get(), timers.waiting]).toEqual(['stopped', []])
    live.start()
    await is(live, 'live')
    expect(streams[1]?.lastEventId).toBe('')
  })

  it('reconnects at once when asked, but opens no second stream', async () => {
    const { live, streams } = setUp()
    live.start()
    await is(live, 'live')
    live.reconnectNow()
    expect(streams).toHaveLength(1)
    streams[0]?.end()
    await is(live, 'reconnecting')
    live.reconnectNow()
    live.reconnectNow()
    await is(live, 'live')
    expect(streams).toHaveLength(2)
  })
})
