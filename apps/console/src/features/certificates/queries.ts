// Query for the certificates of the server.
import { certificates } from '@bowline/contract/operations/instance'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'

/** A renewal takes some seconds and has no event. */
const REFETCH_MS = 5_000

export function certificatesQuery(api: Api) {
  return queryOptions({
    queryKey: ['certificates'],
    queryFn: async ({ signal }) => (await api.call(certificates.list, { signal })).body,
    refetchInterval: REFETCH_MS,
  })
}
