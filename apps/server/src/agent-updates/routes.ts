// Routes of updates of agents.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { type Available, actOnRollout, describeUpdates, setPolicy, startRollout } from './service.ts'

/** @param available the release that this server has */
export function agentUpdateRoutes(available: () => Promise<Available>): Route[] {
  const { agentUpdates } = operations
  return [
    memberRoute(agentUpdates.get, async (ctx) => describeUpdates(ctx, await available())),
    memberRoute(agentUpdates.setPolicy, (ctx, { body }) => setPolicy(ctx, body)),
    memberRoute(agentUpdates.start, async (ctx) => startRollout(ctx, await available())),
    memberRoute(agentUpdates.act, (ctx, { params, body }) => actOnRollout(ctx, params.id, body.action)),
  ]
}
