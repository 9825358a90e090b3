// Throttles live events: they are written to the cache in batches, and stale data is refetched at most once a second,
// however many devices reconnect at the same moment.
import type { LiveEvent } from '@bowline/contract/schemas/event'
import type { QueryClient } from '@tanstack/react-query'
import { LIVE_KEYS, applyEvents } from './apply-events.ts'

export interface LiveFeedParts {
  readonly queryClient: QueryClient
  readonly later: (work: () => void, delayMs: number) => () => void
}

export interface LiveFeed {
  readonly take: (event: LiveEvent) => void
  /** The first stream is being opened; everything fetched from now on was requested after it. */
  readonly starting: () => void
  /** The stream is open. Data fetched before may have missed a change, unless the stream resumed. */
  readonly opened: (resumed: boolean) => void
  /** Polls every `POLL_MS` until `end` is called, while there is no stream. */
  readonly poll: () => () => void
}

const BATCH_MS = 50
const REFETCH_MS = 1_000
const POLL_MS = 15_000
/** Delay of the first refetch: corrects answers that were slightly ahead of the stream. */
const CHECK_MS = 15_000

export function createLiveFeed({ queryClient, later }: LiveFeedParts): LiveFeed {
  let events: LiveEvent[] = []
  let stale = new Map<string, readonly unknown[]>()
  let fetchPlanned = false
  let isFirst = false
  let cancelCheck = () => {}

  function write() {
    const batch = events
    events = []
    for (const key of applyEvents(queryClient, batch)) stale.set(JSON.stringify(key), key)
    if (fetchPlanned || stale.size === 0) return
    fetchPlanned = true
    later(refetch, REFETCH_MS)
  }

  function refetch() {
    fetchPlanned = false
    const due = stale
    stale = new Map()
    for (const queryKey of due.values()) void queryClient.invalidateQueries({ queryKey })
  }

  function refetchAll() {
    for (const queryKey of LIVE_KEYS) void queryClient.invalidateQueries({ queryKey })
  }

  return {
    take(event) {
      if (events.length === 0) later(write, BATCH_MS)
      events.push(event)
    },
    starting() {
      isFirst = true
      cancelCheck()
    },
    opened(resumed) {
      // The stream was requested before the lists were: refetching all of them would be wasted.
      const wasFirst = isFirst
      isFirst = false
      if (wasFirst) {
        cancelCheck = later(refetchAll, CHECK_MS)
        return
      }
      if (resumed) return
      // An answer in flight may be older than the stream: wait for it, then refetch.
      const inFlight = queryClient.getQueryCache().findAll({ fetchStatus: 'fetching' })
      void Promise.allSettled(inFlight.flatMap(({ promise }) => promise ?? [])).then(refetchAll)
    },
    poll() {
      isFirst = false
      let cancel = () => {}
      const tick = () => {
        refetchAll()
        cancel = later(tick, POLL_MS)
      }
      cancel = later(tick, POLL_MS)
      return () => cancel()
    },
  }
}
