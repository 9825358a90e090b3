import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { createFakeTimers } from '../testing/fake-timers.ts'
import { makeDevice } from '../testing/fixtures.ts'
import { type ListPage, keys } from './apply-events.ts'
import { createLiveFeed } from './live-feed.ts'

const SEARCH = { status: 'accepted', page: 1, per_page: 25, sort_by: 'last_seen', order_by: 'desc' }

function setUp() {
  const queryClient = new QueryClient({ defaultOptions: { queries: { networkMode: 'always' } } })
  const timers = createFakeTimers()
  const feed = createLiveFeed({ queryClient, later: timers.later })
  let fetches = 0
  const watchStats = () =>
    new QueryObserver(queryClient, {
      queryKey: keys.stats,
      queryFn: () => {
        fetches += 1
        return Promise.resolve(fetches)
      },
    }).subscribe(() => {})
  return { queryClient, timers, feed, watchStats, fetches: () => fetches }
}
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('the live feed', () => {
  it('batches a burst of events and refetches at most once a second', async () => {
    const { queryClient, timers, feed, watchStats, fetches } = setUp()
    watchStats()
    await settle()
    const devices = Array.from({ length: 500 }, (_, index) => makeDevice(index, Date.now()))
    queryClient.setQueryData(keys.deviceList(SEARCH), {
      items: devices.slice(0, 25),
      total: 500,
      answeredAt: Date.now(),
    })
    let writes = 0
    queryClient.getQueryCache().subscribe(({ query, type }) => {
      if (type === 'updated' && query.queryKey[1] === 'list') writes += 1
    })
    for (const device of devices) feed.take({ type: 'device.changed', device: { ...device, online: false } })
    timers.advance(50)
    const page = queryClient.getQueryData<ListPage<{ online: boolean }>>(keys.deviceList(SEARCH))
    expect(page?.items.some(({ online }) => online)).toBe(false)
    expect([writes, fetches()]).toEqual([1, 1])
    timers.advance(900)
    for (const device of devices) feed.take({ type: 'device.changed', device })
    timers.advance(5_000)
    await settle()
    expect(fetches()).toBe(2)
  })

  it('refetches what was fetched before the stream opened, including answers still in flight', async () => {
    const { feed, watchStats, fetches } = setUp()
    watchStats()
    feed.opened(false)
    await settle()
    await settle()
    expect(fetches()).toBe(2)
  })

  it('delays the refetch when the first stream opens, which was requested before everything else', async () => {
    const { timers, feed, watchStats, fetches } = setUp()
    feed.starting()
    watchStats()
    await settle()
    feed.opened(false)
    await settle()
    await settle()
    expect(fetches()).toBe(1)
    timers.advance(15_000)
    await settle()
    expect(fetches()).toBe(2)
    feed.opened(false)
    await settle()
    expect(fetches()).toBe(3)
  })

  it('refetches at once when the first stream opens only after a failure', async () => {
    const { feed, watchStats, fetches } = setUp()
    feed.starting()
    watchStats()
    await settle()
    feed.poll()()
    feed.opened(false)
    await settle()
    await settle()
    expect(fetches()).toBe(2)
  })

  it('keeps the cache when the stream resumed', async () => {
    const { feed, watchStats, fetches } = setUp()
    watchStats()
    await settle()
    feed.opened(true)
    await settle()
    expect(fetches()).toBe(1)
  })

  it('polls every 15 seconds while there is no stream, until it ends', async () => {
    const { timers, feed, watchStats, fetches } = setUp()
    watchStats()
    await settle()
    const end = feed.poll()
    for (const expected of [2, 3]) {
      timers.advance(15_000)
      await settle()
      expect(fetches()).toBe(expected)
    }
    end()
    timers.advance(60_000)
    await settle()
    expect(fetches()).toBe(3)
  })
})
