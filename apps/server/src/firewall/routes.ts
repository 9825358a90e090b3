// Routes of firewall rules.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { addTag, create, get, list, remove, removeTag, setOrder, setTags, update } from './service.ts'

export function firewallRoutes(): Route[] {
  const { firewall } = operations
  return [
    memberRoute(firewall.list, (ctx, { query }) => list(ctx, query)),
    memberRoute(firewall.create, (ctx, { body }) => create(ctx, body)),
    memberRoute(firewall.setOrder, (ctx, { body }) => setOrder(ctx, body.rules)),
    memberRoute(firewall.get, (ctx, { params }) => get(ctx, params.id)),
    memberRoute(firewall.update, (ctx, { params, body }) => update(ctx, params.id, body)),
    memberRoute(firewall.remove, (ctx, { params }) => remove(ctx, params.id)),
    memberRoute(firewall.addTag, (ctx, { params, body }) => addTag(ctx, params.id, body.tag)),
    memberRoute(firewall.setTags, (ctx, { params, body }) => setTags(ctx, params.id, body.tags)),
    memberRoute(firewall.removeTag, (ctx, { params, query, body }) =>
      removeTag(ctx, params.id, body?.tag ?? query.tag),
    ),
  ]
}
