// Query of updates of agents.
import { agentUpdates } from '@bowline/contract/operations/fleet/agent-updates'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'

export const AGENT_UPDATES = ['agent-updates'] as const

/** A stage takes minutes. */
const REFRESH_MS = 15_000

export function agentUpdatesQuery(api: Api) {
  return queryOptions({
    queryKey: AGENT_UPDATES,
    queryFn: async ({ signal }) => (await api.call(agentUpdates.get, { signal })).body,
    refetchInterval: REFRESH_MS,
  })
}
