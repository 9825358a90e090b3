// Routes of alert rules.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import type { RouteDeps } from './deps.ts'
import { create, deliveries, list, remove, renewSecret, test, update } from './service.ts'

export function alertRoutes(deps: RouteDeps): Route[] {
  const { alerts } = operations
  return [
    memberRoute(alerts.list, (ctx) => list(ctx)),
    memberRoute(alerts.create, (ctx, { body }) => create(deps, ctx, body)),
    memberRoute(alerts.update, (ctx, { params, body }) => update(deps, ctx, params.id, body)),
    memberRoute(alerts.remove, (ctx, { params }) => remove(ctx, params.id)),
    memberRoute(alerts.renewSecret, (ctx, { params }) => renewSecret(deps, ctx, params.id)),
    memberRoute(alerts.test, (ctx, { params }) => test(deps, ctx, params.id)),
    memberRoute(alerts.deliveries, (ctx, { params, query }) => deliveries(ctx, params.id, query)),
  ]
}
