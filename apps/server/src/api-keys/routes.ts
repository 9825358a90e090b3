// Routes of API keys.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { type ApiKeyDeps, createApiKey, list, remove, update } from './service.ts'

export function apiKeyRoutes(deps: ApiKeyDeps): Route[] {
  const { apiKeys } = operations
  return [
    memberRoute(apiKeys.create, (ctx, { body }) => createApiKey(deps, ctx, body)),
    memberRoute(apiKeys.list, (ctx, { query }) => list(ctx, query)),
    memberRoute(apiKeys.update, (ctx, { params, body }) => update(ctx, params.key, body)),
    memberRoute(apiKeys.remove, (ctx, { params }) => remove(ctx, params.key)),
  ]
}
