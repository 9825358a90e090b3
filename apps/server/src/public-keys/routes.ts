// Routes of public keys.
import { operations } from '@bowline/contract/operations'
import type { Actor } from '../context.ts'
import { type Route, memberRoute } from '../http/route.ts'
import { addTag, create, list, remove, removeTag, setTags, update } from './service.ts'

/** @param requireProof refuses people who have not proven lately who they are */
export function publicKeyRoutes(requireProof: (actor: Actor) => Promise<void>): Route[] {
  const { publicKeys } = operations
  return [
    memberRoute(publicKeys.list, (ctx, { query }) => list(ctx, query)),
    memberRoute(publicKeys.create, (ctx, { body }) => create(ctx, body)),
    memberRoute(publicKeys.update, (ctx, { params, body }) => update(ctx, params.fingerprint, body, requireProof)),
    memberRoute(publicKeys.remove, (ctx, { params }) => remove(ctx, params.fingerprint)),
    memberRoute(publicKeys.addTag, (ctx, { params, body }) => addTag(ctx, params.fingerprint, body.tag)),
    memberRoute(publicKeys.setTags, (ctx, { params, body }) => setTags(ctx, params.fingerprint, body.tags)),
    memberRoute(publicKeys.removeTag, (ctx, { params }) => removeTag(ctx, params.fingerprint, params.tag)),
  ]
}
