// Tests of the events sent to the search service: timing and batching.
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Hit } from './hit.ts'

interface Event {
  readonly eventType: string
  readonly objectIDs: readonly string[]
  readonly positions?: readonly number[]
  readonly queryID?: string
}
const settings = { appId: 'docs', apiKey: 'public', indexName: 'docs', hosts: [], missingResultsUrl: '' }
const hits = (count: number, name = 'h'): Hit[] =>
  Array.from({ length: count }, (_, i) => ({
    objectID: `${name}${i}`,
    url: '/docs/',
    type: 'lvl1',
    content: null,
    hierarchy: {},
    __position: i + 1,
    __queryID: 'q',
  }))

let sent: { to: string; events: Event[] }[]
let insights: typeof import('./insights.ts')
beforeEach(async () => {
  sent = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.stubGlobal('location', { origin: 'https://docs.example.com' })
  vi.stubGlobal('navigator', {
    sendBeacon: (to: string, body: string) => {
      sent.push({ to, ...(JSON.parse(body) as { events: Event[] }) })
      return true
    },
  })
  vi.resetModules()
  insights = await import('./insights.ts')
  return () => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  }
})

describe('insights events', () => {
  it('debounces shown hits by 400 ms: only the last ones count', () => {
    insights.hitsShown(settings, hits(1, 'early'))
    vi.advanceTimersByTime(399)
    insights.hitsShown(settings, hits(2, 'late'))
    vi.advanceTimersByTime(399)
    expect(sent).toEqual([])
    vi.advanceTimersByTime(1)
    expect(sent.map(({ events }) => events.map(({ objectIDs }) => objectIDs))).toEqual([[['late0', 'late1']]])
  })

  it('batches shown hits by 20', () => {
    insights.hitsShown(settings, hits(45))
    vi.advanceTimersByTime(400)
    expect(sent).toHaveLength(1)
    expect(sent[0]?.events.map(({ eventType, objectIDs }) => [eventType, objectIDs.length])).toEqual([
      ['view', 20],
      ['view', 20],
      ['view', 5],
    ])
  })

  it('sends no second event for the same hits', () => {
    for (let times = 0; times < 2; times += 1) {
      insights.hitsShown(settings, hits(3))
      vi.advanceTimersByTime(400)
    }
    expect(sent).toHaveLength(1)
  })

  it('sends an opened hit at once, with its position and its query', () => {
    insights.hitOpened(settings, hits(3)[2] as Hit)
    expect(sent[0]?.to).toBe('https://docs.example.com/1/events?X-Algolia-Application-Id=docs&X-Algolia-API-Key=public')
    expect(sent[0]?.events).toMatchObject([{ eventType: 'click', objectIDs: ['h2'], positions: [3], queryID: 'q' }])
  })
})
