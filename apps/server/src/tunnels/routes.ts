// Routes of tunnels.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { type TunnelDeps, create, list, remove } from './service.ts'

export function tunnelRoutes(deps: TunnelDeps): Route[] {
  const { tunnels } = operations
  return [
    memberRoute(tunnels.list, (ctx, { params, query }) => list(deps, ctx, params.uid, query)),
    memberRoute(tunnels.create, (ctx, { params, body }) => create(deps, ctx, params.uid, body)),
    memberRoute(tunnels.remove, (ctx, { params }) => remove(ctx, params.uid, params.address)),
  ]
}
