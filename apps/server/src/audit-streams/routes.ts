// Routes of audit streams.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { type StreamRouteDeps, create, list, remove, test, update } from './service.ts'

export function auditStreamRoutes(deps: StreamRouteDeps): Route[] {
  const { auditStreams } = operations
  return [
    memberRoute(auditStreams.list, (ctx) => list(ctx)),
    memberRoute(auditStreams.create, (ctx, { body }) => create(deps, ctx, body)),
    memberRoute(auditStreams.update, (ctx, { params, body }) => update(deps, ctx, params.id, body)),
    memberRoute(auditStreams.remove, (ctx, { params }) => remove(ctx, params.id)),
    memberRoute(auditStreams.test, (ctx, { params }) => test(deps, ctx, params.id)),
  ]
}
