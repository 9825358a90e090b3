// Query of the snippets of the namespace.
import { snippets } from '@bowline/contract/operations/fleet/snippets'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'

export const SHARED_SNIPPETS = ['shared-snippets'] as const

/** All of them, by name. */
export function sharedSnippetsQuery(api: Api) {
  return queryOptions({
    queryKey: SHARED_SNIPPETS,
    queryFn: async ({ signal }) => (await api.call(snippets.list, { signal })).body,
  })
}
