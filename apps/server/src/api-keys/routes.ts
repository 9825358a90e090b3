// Routes of API keys.
import { operations } from '@bowline/contract/operations'
import { rank } from '@bowline/contract/roles'
import type { Role } from '@bowline/contract/roles'
import type { TenantContext } from '../context.ts'
import { type Route, memberRoute } from '../http/route.ts'
import { type ApiKeyDeps, createApiKey, list, remove, update } from './service.ts'

/** @param requireProof refuses people who have not used their second factor lately */
export function apiKeyRoutes(deps: ApiKeyDeps, requireProof: (ctx: TenantContext) => Promise<void>): Route[] {
  const { apiKeys } = operations
  /** A key outlives the session that creates it. */
  const requireProofFor = async (ctx: TenantContext, role: Role): Promise<void> => {
    if (rank(role) > rank('observer')) await requireProof(ctx)
  }
  return [
    memberRoute(apiKeys.create, async (ctx, { body }) => {
      // Without a role the key gets its creator's.
      await requireProofFor(ctx, body.role ?? 'owner')
      return createApiKey(deps, ctx, body)
    }),
    memberRoute(apiKeys.list, (ctx, { query }) => list(ctx, query)),
    memberRoute(apiKeys.update, async (ctx, { params, body }) => {
      // Other scopes may be more.
      await requireProofFor(ctx, body.scopes === undefined ? (body.role ?? 'observer') : 'owner')
      return update(ctx, params.key, body)
    }),
    memberRoute(apiKeys.remove, (ctx, { params }) => remove(ctx, params.key)),
  ]
}
