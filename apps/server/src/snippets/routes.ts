// Routes of the snippets of a namespace.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { create, list, remove, update } from './service.ts'

export function snippetRoutes(): Route[] {
  const { snippets } = operations
  return [
    memberRoute(snippets.list, (ctx) => list(ctx)),
    memberRoute(snippets.create, (ctx, { body }) => create(ctx, body)),
    memberRoute(snippets.update, (ctx, { params, body }) => update(ctx, params.id, body)),
    memberRoute(snippets.remove, (ctx, { params }) => remove(ctx, params.id)),
  ]
}
