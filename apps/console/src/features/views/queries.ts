// Queries of saved views.
import { type SavedView, views } from '@bowline/contract/operations/fleet/views'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'
import { keys } from '../../live/apply-events.ts'

/** Views of one list: the person's own and those of the namespace. */
export function viewsQuery(api: Api, list: SavedView['list']) {
  return queryOptions({
    queryKey: [...keys.views, list],
    queryFn: async ({ signal }) => (await api.call(views.list, { query: { list }, signal })).body,
    staleTime: Infinity,
  })
}
