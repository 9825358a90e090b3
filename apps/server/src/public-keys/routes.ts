// Routes of public keys.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { addTag, create, list, remove, removeTag, setTags, update } from './service.ts'

export function publicKeyRoutes(): Route[] {
  const { publicKeys } = operations
  return [
    memberRoute(publicKeys.list, (ctx, { query }) => list(ctx, query)),
    memberRoute(publicKeys.create, (ctx, { body }) => create(ctx, body)),
    memberRoute(publicKeys.update, (ctx, { params, body }) => update(ctx, params.fingerprint, body)),
    memberRoute(publicKeys.remove, (ctx, { params }) => remove(ctx, params.fingerprint)),
    memberRoute(publicKeys.addTag, (ctx, { params, body }) => addTag(ctx, params.fingerprint, body.tag)),
    memberRoute(publicKeys.setTags, (ctx, { params, body }) => setTags(ctx, params.fingerprint, body.tags)),
    memberRoute(publicKeys.removeTag, (ctx, { params }) => removeTag(ctx, params.fingerprint, params.tag)),
  ]
}
