// From single events to calm updates: events are written to the cache in batches, and what must be fetched again is
// fetched at most once a second, however many devices come back at the same moment.
import type { LiveEvent } from '@bowline/contract/schemas/event'
import type { QueryClient } from '@tanstack/react-query'
import { LIVE_KEYS, applyEvents } from './apply-events.ts'

export interface LiveFeedParts {
  readonly queryClient: QueryClient
  readonly later: (work: () => void, delayMs: number) => () => void
}

export interface LiveFeed {
  readonly take: (event: LiveEvent) => void
  /** A stream is being opened for the first time; what is fetched from now on is asked for after it. */
  readonly starting: () => void
  /** The stream is open. What was fetched before it may have missed a change, unless the stream resumed. */
  readonly opened: (resumed: boolean) => void
  /** Fetches every `POLL_MS` until `end` is called: for the time without a stream. */
  readonly poll: () => () => void
}

const BATCH_MS = 50
const FETCH_AGAIN_MS = 1_000
const POLL_MS = 15_000
/** After the first opening: an answer that overtook the stream by a moment is put right then. */
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
    later(fetchAgain, FETCH_AGAIN_MS)
  }

  function fetchAgain() {
    fetchPlanned = false
    const due = stale
    stale = new Map()
    for (const queryKey of due.values()) void queryClient.invalidateQueries({ queryKey })
  }

  function fetchEverything() {
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
      // The request for the stream went out before those for lists: asking for all of them twice would be for nothing.
      const wasFirst = isFirst
      isFirst = false
      if (wasFirst) {
        cancelCheck = later(fetchEverything, CHECK_MS)
        return
      }
      if (resumed) return
      // An answer that is on its way may be older than the stream: let it come, then ask again.
      const inFlight = queryClient.getQueryCache().findAll({ fetchStatus: 'fetching' })
      void Promise.allSettled(inFlight.flatMap(({ promise }) => promise ?? [])).then(fetchEverything)
    },
    poll() {
      isFirst = false
      let cancel = () => {}
      const tick = () => {
        fetchEverything()
        cancel = later(tick, POLL_MS)
      }
      cancel = later(tick, POLL_MS)
      return () => cancel()
    },
  }
}
