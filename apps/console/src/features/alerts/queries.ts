// Queries of alert rules and their messages.
import { alerts } from '@bowline/contract/operations/fleet/alerts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'
import { listPage } from '../../live/list-page.ts'

export const ALERTS = ['alerts'] as const
export const DELIVERIES_PER_PAGE = 10

export function alertsQuery(api: Api) {
  return queryOptions({
    queryKey: [...ALERTS, 'rules'],
    queryFn: async ({ signal }) => (await api.call(alerts.list, { signal })).body,
  })
}

/** Asked again while it is open: messages are tried several times. */
export function deliveriesQuery(api: Api, id: string, page: number) {
  const query = { page: String(page), per_page: String(DELIVERIES_PER_PAGE) }
  return queryOptions({
    queryKey: [...ALERTS, 'deliveries', id, page],
    queryFn: async ({ signal }) => listPage(await api.call(alerts.deliveries, { params: { id }, query, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  })
}
