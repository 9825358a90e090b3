// Routes of presence and incidents.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { devicesOf, get, list, presenceTurns } from './incidents.ts'
import { presenceOfDevice, presenceOfNamespace } from './service.ts'

export function presenceRoutes(): Route[] {
  const { presence, incidents } = operations
  const turns = presenceTurns()
  return [
    memberRoute(presence.get, (ctx, { query }) =>
      turns.run(ctx.tenant, () => presenceOfNamespace(ctx, query.list, query.period)),
    ),
    memberRoute(presence.ofDevice, (ctx, { params, query }) => presenceOfDevice(ctx, params.uid, query.period)),
    memberRoute(incidents.list, (ctx, { query }) => list(ctx, turns, query)),
    memberRoute(incidents.get, (ctx, { params }) => get(ctx, turns, params.id)),
    memberRoute(incidents.devices, (ctx, { params, query }) => devicesOf(ctx, turns, params.id, query)),
  ]
}
