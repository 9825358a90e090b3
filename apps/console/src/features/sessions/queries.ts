// Queries for sessions.
import { type SessionGroupSort, type SessionSort, sessions } from '@bowline/contract/operations/sessions'
import { recordings } from '@bowline/contract/operations/recordings'
import type { ListedRecording } from '@bowline/contract/schemas/recording'
import { type ExportFormat, SessionUid } from '@bowline/contract/schemas/common'
import type { Session, SessionGroup, SessionGrouping } from '@bowline/contract/schemas/session'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type ListPage, keys } from '../../live/apply-events.ts'
import { listPage } from '../../live/list-page.ts'
import type { Api } from '../../auth/api.ts'

export const SESSIONS_PER_PAGE = 25
export const SESSION_PAGE_SIZES = [25, 50, 100] as const

/** A recording is read through moments after its session; one that cannot be is not asked for forever. */
const SOON_MS = 2_000
const MANY = 30

export interface SessionListQuery {
  readonly page: number
  /** The API filter; undefined for all. */
  readonly filter?: string | undefined
  readonly perPage?: number
  /** Default: last seen first. */
  readonly sort?: SessionSort
  readonly order?: 'asc' | 'desc'
}

/** Sessions of the namespace. */
export function sessionListQuery(api: Api, { page, filter, perPage = SESSIONS_PER_PAGE, ...by }: SessionListQuery) {
  const { sort = 'last_seen', order = 'desc' } = by
  const sorted = sort === 'last_seen' && order === 'desc' ? undefined : `${sort} ${order}`
  return queryOptions({
    queryKey: keys.sessionList({ page, perPage, filter, sorted }),
    queryFn: async ({ signal }): Promise<ListPage<Session>> => {
      const query = { page: String(page), per_page: String(perPage), filter, sort_by: sort, order_by: order }
      return listPage(await api.call(sessions.list, { query, signal }))
    },
    placeholderData: keepPreviousData,
  })
}

export interface SessionGroupQuery {
  readonly by: SessionGrouping
  readonly page: number
  readonly perPage: number
  /** The API filter of the sessions that count; undefined for all. */
  readonly filter?: string | undefined
  readonly sort: SessionGroupSort
  readonly order: 'asc' | 'desc'
}

/** Devices or people with their numbers of sessions. */
export function sessionGroupsQuery(api: Api, { by, page, perPage, filter, sort, order }: SessionGroupQuery) {
  return queryOptions({
    queryKey: [...keys.sessionGroups, { by, page, perPage, filter, sort, order }],
    queryFn: async ({ signal }): Promise<ListPage<SessionGroup>> => {
      const query = { by, page: String(page), per_page: String(perPage), filter, sort_by: sort, order_by: order }
      return listPage(await api.call(sessions.groups, { query, signal }))
    },
    // Groups of devices are no place for rows of people while those load.
    placeholderData: (previous, of) => (isGroupedBy(by, of?.queryKey) ? previous : undefined),
  })
}

function isGroupedBy(by: SessionGrouping, queryKey: readonly unknown[] | undefined): boolean {
  const last = queryKey?.at(-1)
  return typeof last === 'object' && last !== null && 'by' in last && last.by === by
}

/** Every session of a list. */
export function openSessionExport(
  api: Api,
  { filter, sort = 'last_seen', order = 'desc' }: SessionListQuery,
  format: ExportFormat,
): Promise<Response> {
  return api.open(sessions.export, { query: { filter, sort_by: sort, order_by: order, format } })
}

/** One session with its events. */
export function sessionQuery(api: Api, uid: string) {
  return queryOptions({
    queryKey: keys.session(uid),
    queryFn: async ({ signal }) =>
      (await api.call(sessions.get, { params: { uid: SessionUid.parse(uid) }, signal })).body,
  })
}

/** Recordings of a session with their summaries, which they get moments after they end. */
export function sessionRecordingsQuery(api: Api, uid: SessionUid) {
  return queryOptions({
    queryKey: [...keys.recordingLists, 'of', uid],
    queryFn: async ({ signal }) => (await api.call(sessions.records, { params: { uid }, signal })).body,
    refetchInterval: ({ state: { data, dataUpdateCount } }) => untilRead(data, dataUpdateCount),
  })
}

/** Recordings whose sessions pass the API filter, the latest first. */
export function recordingListQuery(api: Api, { filter, perPage }: { filter: string | undefined; perPage: number }) {
  return queryOptions({
    queryKey: [...keys.recordingLists, 'latest', { filter, perPage }],
    queryFn: async ({ signal }): Promise<ListPage<ListedRecording>> =>
      listPage(await api.call(recordings.list, { query: { filter, per_page: String(perPage) }, signal })),
    refetchInterval: ({ state: { data, dataUpdateCount } }) => untilRead(data?.items, dataUpdateCount),
  })
}

/** Milliseconds until the next look, while something that has ended is to be read. */
function untilRead(listed: readonly ListedRecording[] | undefined, looks: number): number | false {
  const isWaiting = listed?.some(({ state, read }) => state !== 'recording' && !read) === true
  return isWaiting && looks < MANY ? SOON_MS : false
}

/** The last screen and a summary of a recording. Only when somebody asks to see it: the server notes who does. */
export function previewQuery(api: Api, uid: SessionUid, seat: number) {
  return queryOptions({
    queryKey: ['recordings', 'preview', uid, seat],
    queryFn: async ({ signal }) =>
      (await api.call(sessions.getPreview, { params: { uid, seat: String(seat) }, signal })).body,
    // The recording of a session that is over stays as it is.
    staleTime: ({ state: { data } }) => (data?.indexed === true ? Infinity : 0),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data && !data.indexed && dataUpdateCount < MANY ? SOON_MS : false,
    refetchOnWindowFocus: false,
  })
}

/** Commands typed in the shell of a recorded channel; none until it is indexed, moments after its end. */
export function typedCommandsQuery(api: Api, uid: SessionUid, seat: number) {
  const params = { uid, seat: String(seat) }
  return queryOptions({
    queryKey: ['recordings', 'commands', params],
    queryFn: async ({ signal }) => {
      const { body } = await api.call(sessions.getRecordIndex, { params, signal })
      const start = Date.parse(body.started_at)
      const commands = body.commands.map(({ time, text }) => ({
        atMs: start + time * 1_000,
        seconds: time,
        text,
        seat,
      }))
      return { indexed: body.indexed, commands }
    },
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data && !data.indexed && dataUpdateCount < MANY ? SOON_MS : false,
  })
}
