// Routes of public keys.
import { operations } from '@bowline/contract/operations'
import type { TenantContext } from '../context.ts'
import { type Route, memberRoute } from '../http/route.ts'
import { addTag, create, list, remove, removeTag, setTags, update } from './service.ts'

/** @param requireAccessProof refuses callers who give access without a recent proof, where logins need a second factor */
export function publicKeyRoutes(requireAccessProof: (ctx: TenantContext) => Promise<void>): Route[] {
  const { publicKeys } = operations
  return [
    memberRoute(publicKeys.list, (ctx, { query }) => list(ctx, query)),
    memberRoute(publicKeys.create, async (ctx, { body }) => {
      await requireAccessProof(ctx)
      return create(ctx, body)
    }),
    memberRoute(publicKeys.update, async (ctx, { params, body }) => {
      await requireAccessProof(ctx)
      return update(ctx, params.fingerprint, body)
    }),
    memberRoute(publicKeys.remove, (ctx, { params }) => remove(ctx, params.fingerprint)),
    // Tags decide which devices a key is for.
    memberRoute(publicKeys.addTag, async (ctx, { params, body }) => {
      await requireAccessProof(ctx)
      return addTag(ctx, params.fingerprint, body.tag)
    }),
    memberRoute(publicKeys.setTags, async (ctx, { params, body }) => {
      await requireAccessProof(ctx)
      return setTags(ctx, params.fingerprint, body.tags)
    }),
    memberRoute(publicKeys.removeTag, async (ctx, { params }) => {
      await requireAccessProof(ctx)
      return removeTag(ctx, params.fingerprint, params.tag)
    }),
  ]
}
