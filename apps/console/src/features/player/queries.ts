// Queries of the player.
import { recordings } from '@bowline/contract/operations/recordings'
import { sessions } from '@bowline/contract/operations/sessions'
import type { DeviceUid, SessionUid, UserId } from '@bowline/contract/schemas/common'
import type { RecordingHit } from '@bowline/contract/schemas/recording'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ListPage } from '../../live/apply-events.ts'
import { startOfDay } from '../../core/list-filter.ts'
import { listPage } from '../../live/list-page.ts'
import type { Api } from '../../auth/api.ts'
import { readCast } from './engine/cast-pages.ts'
import type { GrowingParts } from './engine/growing-source.ts'
import type { ReadRange } from './engine/indexed-source.ts'
import { foldedHits } from './folded-hits.ts'

export interface Seat {
  readonly uid: SessionUid
  readonly seat: string
}

export const HITS_PER_PAGE = 50
/** Response limit for one part of a recording: between two keyframes there is much less. */
const MAX_PART_BYTES = 67_108_864
/** Recordings get their index moments after their session; those that cannot have one are polled less often. */
const SOON_MS = 2_000
const RARELY_MS = 30_000
const MANY = 60

export function recordingIndexQuery(api: Api, seat: Seat) {
  return queryOptions({
    queryKey: ['recordings', 'index', seat],
    queryFn: async ({ signal }) => (await api.call(sessions.getRecordIndex, { params: seat, signal })).body,
    refetchInterval: ({ state: { data, dataUpdateCount } }) => {
      if (!data || data.indexed) return false
      return dataUpdateCount < MANY || data.state === 'recording' ? SOON_MS : RARELY_MS
    },
  })
}

/** Verifies that a recording was not altered. */
export function verdictQuery(api: Api, seat: Seat, state: string) {
  return queryOptions({
    queryKey: ['recordings', 'verdict', seat, state],
    queryFn: async ({ signal }) => (await api.call(sessions.verifyRecord, { params: seat, signal })).body,
    refetchOnWindowFocus: false,
  })
}

/** Which sessions a search is limited to. */
interface HitsOf {
  readonly session?: SessionUid | undefined
  readonly device?: DeviceUid | undefined
  readonly person?: UserId | undefined
  /** Days of this browser's time zone; both are part of it. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export function hitsQuery(api: Api, q: string, page: number, { session, device, person, from, to }: HitsOf = {}) {
  return queryOptions({
    queryKey: ['recordings', 'hits', q, page, { session, device, person, from, to }],
    queryFn: async ({ signal }): Promise<ListPage<RecordingHit>> => {
      const of = {
        ...(session ? { session } : {}),
        ...(device ? { device } : {}),
        ...(person ? { person } : {}),
        ...(from ? { from: startOfDay(from, 0) } : {}),
        ...(to ? { to: startOfDay(to, 0, 1) } : {}),
      }
      const query = { q, page: String(page), per_page: String(HITS_PER_PAGE), ...of }
      const found = listPage(await api.call(recordings.search, { query, signal }))
      const items = foldedHits(found.items)
      // The pages of a longer list stay as the server counts them.
      const total = found.total > HITS_PER_PAGE ? found.total : items.length
      return { ...found, items, total }
    },
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
}

/** Slightly more than a whole millisecond: some would round down as fractions of seconds. */
const seconds = (ms: number): string => ((ms + 0.4) / 1_000).toFixed(4)

export function rangeReader(api: Api, params: Seat): ReadRange {
  return async (fromMs, toMs, signal) => {
    const query = { format: 'cast3' as const, from: fromMs === 0 ? '0' : seconds(fromMs), to: seconds(toMs) }
    return readCast(await api.open(sessions.getRecord, { params, query, signal }), MAX_PART_BYTES)
  }
}

export function growthReader(api: Api, params: Seat): GrowingParts['read'] {
  return (afterByte, signal) => {
    const query = { format: 'cast3' as const, after: String(afterByte) }
    return api.open(sessions.getRecord, { params, query, signal })
  }
}
