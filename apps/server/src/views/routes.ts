// Routes of saved views and favourite devices.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { addFavorite, create, favorites, list, remove, removeFavorite, update } from './service.ts'

export function viewRoutes(): Route[] {
  const { views } = operations
  return [
    memberRoute(views.list, (ctx, { query }) => list(ctx, query.list)),
    memberRoute(views.create, (ctx, { body }) => create(ctx, body)),
    memberRoute(views.update, (ctx, { params, body }) => update(ctx, params.id, body)),
    memberRoute(views.remove, (ctx, { params }) => remove(ctx, params.id)),
    memberRoute(views.favorites, (ctx) => favorites(ctx)),
    memberRoute(views.addFavorite, (ctx, { params }) => addFavorite(ctx, params.uid)),
    memberRoute(views.removeFavorite, (ctx, { params }) => removeFavorite(ctx, params.uid)),
  ]
}
