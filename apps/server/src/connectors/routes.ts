// Routes of connectors.
import { operations } from '@bowline/contract/operations'
import { type MemberContext, type Route, memberRoute } from '../http/route.ts'
import { type ConnectorDeps, create, get, info, list, remove, update } from './service.ts'

export function connectorRoutes(deps: ConnectorDeps): Route[] {
  const { connectors } = operations
  return [
    memberRoute(connectors.create, async (ctx, { body }) => answer(ctx, await create(deps, ctx, body))),
    memberRoute(connectors.list, (ctx, { query }) => list(ctx, query)),
    memberRoute(connectors.get, (ctx, { params }) => get(ctx, params.uid)),
    memberRoute(connectors.update, async (ctx, { params, body }) =>
      answer(ctx, await update(deps, ctx, params.uid, body)),
    ),
    memberRoute(connectors.info, (ctx, { params }) => info(deps, ctx, params.uid)),
    memberRoute(connectors.remove, (ctx, { params }) => remove(deps, ctx, params.uid)),
  ]
}

/** 201 says that a connector is saved although it is not connected. */
async function answer({ reply }: MemberContext, isConnected: boolean): Promise<void> {
  if (isConnected) await reply.status(200).send()
}
