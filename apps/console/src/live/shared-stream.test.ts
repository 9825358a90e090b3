// With the locks and channels of Node, which are those of browsers.
import { afterEach, expect, it } from 'vitest'
import { createFakeTimers } from '../testing/fake-timers.ts'
import { createSharedStream } from './shared-stream.ts'

const pages: AbortController[] = []
const { locks } = navigator
afterEach(() => {
  for (const page of pages.splice(0)) page.abort()
})

let named = 0
function setUp(given: { readonly locks: typeof locks | undefined } = { locks }) {
  named += 1
  const name = `events of person ${named}`
  const timers = createFakeTimers()
  const streams: { lastEventId: string; send: (text: string) => Promise<void>; end: () => Promise<void> }[] = []
  let refuses = false
  const openShared = createSharedStream({
    ...given,
    later: timers.later,
    async open(lastEventId, signal) {
      if (refuses) throw new TypeError('fetch failed')
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const writer = writable.getWriter()
      signal.addEventListener('abort', () => void writer.abort(signal.reason).catch(() => undefined))
      const send = (text: string) => writer.write(new TextEncoder().encode(text))
      streams.push({ lastEventId, send, end: () => writer.close() })
      return new Response(readable)
    },
  })
  /** Another page of the browser. */
  const page = async (lastEventId = '', of = name) => {
    const controller = new AbortController()
    pages.push(controller)
    const response = await openShared(of, lastEventId, controller.signal)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    let isOver = false
    const read = async () => {
      for (;;) {
        const { done, value = '' } = (await reader?.read()) ?? { done: true }
        if (done) return
        text += value
      }
    }
    void read()
      .catch(() => undefined)
      .finally(() => (isOver = true))
    return { text: () => text, isOver: () => isOver, leave: () => controller.abort() }
  }
  return { name, page, streams, timers, refuse: () => (refuses = true) }
}

it('opens one stream for all pages, whose events each page gets in whole', async () => {
  const { page, streams } = setUp()
  const first = await page()
  void streams[0]?.send('id: 1\ndata: "a"\n\nid: 2\ndata: ')
  await expect.poll(first.text).toContain('id: 2')
  const second = await page()
  void streams[0]?.send('"b"\n\n')
  await expect.poll(second.text).toBe('id: 2\ndata: "b"\n\n')
  expect(first.text()).toBe('id: 1\ndata: "a"\n\nid: 2\ndata: "b"\n\n')
  expect(streams).toHaveLength(1)
})

it('resumes a page that has missed nothing, and resets one that has', async () => {
  const { page, streams } = setUp()
  await page('7')
  expect(streams[0]?.lastEventId).toBe('7')
  const same = await page('7')
  const behind = await page('6')
  void streams[0]?.send('id: 8\ndata: "c"\n\n')
  await expect.poll(behind.text).toBe('data: {"type":"reset"}\n\nid: 8\ndata: "c"\n\n')
  expect(same.text()).toBe('id: 8\ndata: "c"\n\n')
})

it.each(['leaves', 'loses the stream'])(
  'ends the others when the page with the stream %s, and lets one open it',
  async (how) => {
    const { page, streams } = setUp()
    const first = await page()
    const second = await page()
    if (how === 'leaves') first.leave()
    else await streams[0]?.end().then(first.leave)
    await expect.poll(second.isOver).toBe(true)
    second.leave()
    await page('3')
    expect(streams.map(({ lastEventId }) => lastEventId)).toEqual(['', '3'])
  },
)

it('leaves the stream to others when it cannot be opened', async () => {
  const { name, page, streams, refuse } = setUp()
  refuse()
  await expect(page()).rejects.toThrow('fetch failed')
  expect((await locks.query()).held?.map((lock) => lock.name)).not.toContain(name)
  expect(streams).toEqual([])
})

it('gives up on a page that holds the stream and does not answer', async () => {
  const { name, page, timers } = setUp()
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const holding = locks.request(name, () => held)
  const waiting = page()
  await expect.poll(() => timers.waiting).toEqual([2_000])
  timers.advance(2_000)
  await expect(waiting).rejects.toThrow('does not answer')
  release()
  await holding
})

it('shares nothing with pages of other people, and nothing at all where the browser has no locks', async () => {
  const { page, streams } = setUp()
  await page()
  await page('', 'events of somebody else')
  expect(streams).toHaveLength(2)
  const alone = setUp({ locks: undefined })
  await alone.page()
  await alone.page()
  expect(alone.streams).toHaveLength(2)
})
