// What the console asks about sessions.
import { sessions } from '@bowline/contract/operations/sessions'
import type { Session } from '@bowline/contract/schemas/session'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type ListPage, keys } from '../../live/apply-events.ts'
import { listPage } from '../../live/list-page.ts'
import type { Api } from '../../session/api.ts'

export const SESSIONS_PER_PAGE = 25

/** Sessions of the namespace, the last seen first. */
export function sessionListQuery(api: Api, page: number) {
  return queryOptions({
    queryKey: keys.sessionList(page, SESSIONS_PER_PAGE),
    queryFn: async ({ signal }): Promise<ListPage<Session>> => {
      const query = { page: String(page), per_page: String(SESSIONS_PER_PAGE) }
      return listPage(await api.call(sessions.list, { query, signal }))
    },
    placeholderData: keepPreviousData,
  })
}
