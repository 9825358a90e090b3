// Query for the nodes of the server.
import { nodes } from '@bowline/contract/operations/instance'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'

/** Nodes come and go without an event. */
const REFETCH_MS = 5_000

export function nodesQuery(api: Api) {
  return queryOptions({
    queryKey: ['nodes'],
    queryFn: async ({ signal }) => (await api.call(nodes.list, { signal })).body.nodes,
    refetchInterval: REFETCH_MS,
  })
}
