// Routes of API keys.
import { operations } from '@bowline/contract/operations'
import { rank } from '@bowline/contract/roles'
import type { Role } from '@bowline/contract/roles'
import type { Actor } from '../context.ts'
import { type Route, memberRoute } from '../http/route.ts'
import { type ApiKeyDeps, createApiKey, list, remove, update } from './service.ts'

/** @param requireProof refuses people who have not used their second factor lately */
export function apiKeyRoutes(deps: ApiKeyDeps, requireProof: (actor: Actor) => Promise<void>): Route[] {
  const { apiKeys } = operations
  /** A key outlives the session that creates it. */
  const requireProofFor = async (actor: Actor, role: Role): Promise<void> => {
    if (rank(role) > rank('observer')) await requireProof(actor)
  }
  return [
    memberRoute(apiKeys.create, async (ctx, { body }) => {
      // Without a role the key gets its creator's.
      await requireProofFor(ctx.actor, body.role ?? 'owner')
      return createApiKey(deps, ctx, body)
    }),
    memberRoute(apiKeys.list, (ctx, { query }) => list(ctx, query)),
    memberRoute(apiKeys.update, async (ctx, { params, body }) => {
      await requireProofFor(ctx.actor, body.role ?? 'observer')
      return update(ctx, params.key, body)
    }),
    memberRoute(apiKeys.remove, (ctx, { params }) => remove(ctx, params.key)),
  ]
}
