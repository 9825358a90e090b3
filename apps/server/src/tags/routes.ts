// Routes of tags.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { list, remove, rename } from './service.ts'

export function tagRoutes(): Route[] {
  const { tags } = operations
  return [
    memberRoute(tags.list, (ctx) => list(ctx)),
    memberRoute(tags.rename, (ctx, { params, body }) => rename(ctx, params.tag, body.tag)),
    memberRoute(tags.remove, (ctx, { params }) => remove(ctx, params.tag)),
  ]
}
