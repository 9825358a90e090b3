// Query of audit streams.
import { auditStreams } from '@bowline/contract/operations/fleet/audit-streams'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'

export const STREAMS = ['audit-streams'] as const

/** Asked again while it is open: streams go on. */
export function streamsQuery(api: Api) {
  return queryOptions({
    queryKey: STREAMS,
    queryFn: async ({ signal }) => (await api.call(auditStreams.list, { signal })).body,
    staleTime: 0,
    refetchInterval: 5_000,
  })
}
