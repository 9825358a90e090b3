// Search analytics: which hits were shown and which was opened. Sent to the search service's events endpoint; views are
// debounced by 400 ms, at most 20 hits in one event.
import type { Hit } from './hit.ts'
import { searchHosts } from './hosts.ts'
import type { SearchSettings } from './settings.ts'

const VIEW_DELAY_MS = 400
const MAX_EVENT_HITS = 20

let timer: ReturnType<typeof setTimeout> | undefined
let seen = ''

/** Call on each change of the visible hits. */
export function hitsShown(settings: SearchSettings, hits: readonly Hit[]): void {
  clearTimeout(timer)
  const ids = hits.map(({ objectID }) => objectID)
  if (ids.length === 0 || ids.join() === seen) return
  timer = setTimeout(() => {
    seen = ids.join()
    const events = []
    for (let from = 0; from < ids.length; from += MAX_EVENT_HITS) {
      events.push({
        eventType: 'view',
        eventName: 'Items Viewed',
        index: settings.indexName,
        objectIDs: ids.slice(from, from + MAX_EVENT_HITS),
        userToken: 'anonymous',
        algoliaSource: ['autocomplete'],
      })
    }
    send(settings, events)
  }, VIEW_DELAY_MS)
}

/** Call when a hit is opened. */
export function hitOpened(settings: SearchSettings, hit: Hit): void {
  send(settings, [
    {
      eventType: 'click',
      eventName: 'Item Selected',
      index: settings.indexName,
      objectIDs: [hit.objectID],
      positions: [hit.__position ?? 1],
      ...(hit.__queryID ? { queryID: hit.__queryID } : {}),
      userToken: 'anonymous',
      algoliaSource: ['autocomplete'],
    },
  ])
}

function send(settings: SearchSettings, events: readonly unknown[]): void {
  const [host] = searchHosts(settings)
  if (!host) return
  const query = new URLSearchParams({
    'X-Algolia-Application-Id': settings.appId,
    'X-Algolia-API-Key': settings.apiKey,
  })
  navigator.sendBeacon(`${host.protocol}://${host.url}/1/events?${query}`, JSON.stringify({ events }))
}
