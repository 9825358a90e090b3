// Routes of connectors.
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { type ConnectorDeps, create, get, list, remove, update } from './service.ts'

export function connectorRoutes(deps: ConnectorDeps): Route[] {
  const { connectors } = operations
  return [
    memberRoute(connectors.create, (ctx, { body }) => create(deps, ctx, body)),
    memberRoute(connectors.list, (ctx, { query }) => list(ctx, query)),
    memberRoute(connectors.get, (ctx, { params }) => get(ctx, params.uid)),
    memberRoute(connectors.update, (ctx, { params, body }) => update(deps, ctx, params.uid, body)),
    memberRoute(connectors.info, async (ctx, { params }) => {
      await get(ctx, params.uid)
      return fail('NOT_WORKING_YET')
    }),
    memberRoute(connectors.remove, (ctx, { params }) => remove(ctx, params.uid)),
  ]
}
