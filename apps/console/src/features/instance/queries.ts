// Queries for the instance.
import { instance } from '@bowline/contract/operations/instance'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'

/** Version, endpoints, sign-in methods. Changes with the server's settings only. */
export function infoQuery(api: Api) {
  return queryOptions({
    queryKey: ['info'],
    queryFn: async ({ signal }) => (await api.call(instance.info, { signal })).body,
    staleTime: 5 * 60_000,
  })
}
