// Queries for API keys. Members come with the namespace.
import { apiKeys } from '@bowline/contract/operations/api-keys'
import type { ApiKey } from '@bowline/contract/schemas/api-key'
import { LIMITS } from '@bowline/contract/limits'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ListPage } from '../../live/apply-events.ts'
import { listPage } from '../../live/list-page.ts'
import type { Api } from '../../auth/api.ts'
import type { ApiKeySort } from './search.ts'

export const API_KEYS_PER_PAGE = 25
export const API_KEY_LISTS = ['api-keys'] as const

export interface ApiKeyListQuery {
  readonly page: number
  readonly sort: ApiKeySort
  readonly order: 'asc' | 'desc'
}

export function apiKeyListQuery(api: Api, { page, sort, order }: ApiKeyListQuery) {
  return queryOptions({
    queryKey: [...API_KEY_LISTS, { page, sort, order }],
    queryFn: async ({ signal }): Promise<ListPage<ApiKey>> => {
      const query = { page: String(page), per_page: String(API_KEYS_PER_PAGE), sort_by: sort, order_by: order }
      return listPage(await api.call(apiKeys.list, { query, signal }))
    },
    placeholderData: keepPreviousData,
  })
}

/** The keys that expire last, on one page: more than namespaces have. */
export function allApiKeysQuery(api: Api) {
  return queryOptions({
    queryKey: [...API_KEY_LISTS, 'all'],
    queryFn: async ({ signal }) =>
      (await api.call(apiKeys.list, { query: { per_page: String(LIMITS.perPage.max) }, signal })).body,
  })
}
