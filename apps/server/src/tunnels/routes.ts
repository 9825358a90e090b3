// Routes of tunnels.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute, userRoute } from '../http/route.ts'
import { type Doorkeeper } from './doors/doorkeeper.ts'
import { type TunnelDeps, create, list, remove, requests, update } from './service.ts'

export function tunnelRoutes(deps: TunnelDeps, doors: Pick<Doorkeeper, 'visitLink'>): Route[] {
  const { tunnels } = operations
  return [
    memberRoute(tunnels.list, (ctx, { params, query }) => list(deps, ctx, params.uid, query)),
    memberRoute(tunnels.create, (ctx, { params, body }) => create(deps, ctx, params.uid, body)),
    memberRoute(tunnels.update, (ctx, { params, body }) => update(deps, ctx, params.uid, params.address, body)),
    memberRoute(tunnels.requests, (ctx, { params }) => requests(deps, ctx, params.uid, params.address)),
    memberRoute(tunnels.remove, (ctx, { params }) => remove(deps, ctx, params.uid, params.address)),
    userRoute(tunnels.visit, async (ctx, { params, body }) => ({
      url: await doors.visitLink(ctx.actor.id, params.address, body.path),
    })),
  ]
}
