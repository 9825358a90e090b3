// Routes of the roles that a namespace makes for itself.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { type RoleDeps, assign, create, list, remove, update } from './service.ts'

export function roleRoutes(deps: RoleDeps): Route[] {
  const { roles } = operations
  return [
    memberRoute(roles.list, (ctx) => list(ctx)),
    memberRoute(roles.create, (ctx, { body }) => create(deps, ctx, body)),
    memberRoute(roles.update, (ctx, { params, body }) => update(deps, ctx, params.id, body)),
    memberRoute(roles.remove, (ctx, { params }) => remove(deps, ctx, params.id)),
    memberRoute(roles.assign, (ctx, { params, body }) => assign(deps, ctx, params.uid, body.roles)),
  ]
}
