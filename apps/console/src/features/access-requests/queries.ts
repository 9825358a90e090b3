// Queries for access requests.
import { type AccessRequest, accessRequests } from '@bowline/contract/operations/fleet/access-requests'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'
import { type ListPage, keys } from '../../live/apply-events.ts'
import { listPage } from '../../live/list-page.ts'
import type { AccessRequestsSearch } from './search.ts'

export const REQUESTS_PER_PAGE = 25
/** Requests expire without an event. */
const REFETCH_MS = 30_000

export function accessRequestsQuery(
  api: Api,
  { state, page, mine }: Pick<AccessRequestsSearch, 'state' | 'page' | 'mine'>,
  perPage = REQUESTS_PER_PAGE,
) {
  const of = mine === undefined ? ('all' as const) : ('me' as const)
  return queryOptions({
    queryKey: [...keys.accessRequests, { state, page, of, perPage }],
    queryFn: async ({ signal }): Promise<ListPage<AccessRequest>> => {
      const query = { state, of, page: String(page), per_page: String(perPage) }
      return listPage(await api.call(accessRequests.list, { query, signal }))
    },
    refetchInterval: REFETCH_MS,
    placeholderData: keepPreviousData,
  })
}
