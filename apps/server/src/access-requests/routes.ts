// Routes of access requests.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import type { AccessMails } from './mails.ts'
import { approve, create, deny, end, list } from './service.ts'

export function accessRequestRoutes(deps: AccessMails): Route[] {
  const { accessRequests } = operations
  return [
    memberRoute(accessRequests.list, (ctx, { query }) => list(ctx, query)),
    memberRoute(accessRequests.create, (ctx, { body }) => create(deps, ctx, body)),
    memberRoute(accessRequests.approve, (ctx, { params, body }) => approve(deps, ctx, params.id, body.minutes)),
    memberRoute(accessRequests.deny, (ctx, { params, body }) => deny(deps, ctx, params.id, body.note)),
    memberRoute(accessRequests.end, (ctx, { params }) => end(deps, ctx, params.id)),
  ]
}
