// Queries for sessions.
import { type SessionSort, sessions } from '@bowline/contract/operations/sessions'
import { type ExportFormat, SessionUid } from '@bowline/contract/schemas/common'
import type { Session } from '@bowline/contract/schemas/session'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type ListPage, keys } from '../../live/apply-events.ts'
import { listPage } from '../../live/list-page.ts'
import type { Api } from '../../auth/api.ts'

export const SESSIONS_PER_PAGE = 25
export const SESSION_PAGE_SIZES = [25, 50, 100] as const

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
