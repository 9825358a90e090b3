// Routes of sessions.
import type { RateLimiter } from '@bowline/base/rate-limiter'
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import { personOf } from '../context.ts'
import { sendLines } from '../http/attachment.ts'
import { type Route, memberRoute } from '../http/route.ts'
import { exported } from './export.ts'
import { listGroups } from './groups.ts'
import { type CloseConnection, close, get, list, setAuthenticated } from './service.ts'

/**
 * @param closeConnection provided by the gateway, which nouns do not know
 * @param exports rate limit per person: each reads every session that matches
 */
export function sessionRoutes(closeConnection: CloseConnection, exports: RateLimiter): Route[] {
  const { sessions } = operations
  return [
    memberRoute(sessions.list, (ctx, { query }) => list(ctx, query)),
    memberRoute(sessions.export, async (ctx, { query }) => {
      if (!exports.take(personOf(ctx.actor) ?? ctx.tenant)) fail('TOO_MANY_REQUESTS', { seconds: 10 })
      const lines = await exported(ctx, query, () => ctx.isStillAdmitted())
      return sendLines(ctx, 'sessions', query.format, lines)
    }),
    memberRoute(sessions.groups, (ctx, { query }) => listGroups(ctx, query)),
    memberRoute(sessions.get, (ctx, { params }) => get(ctx, params.uid)),
    memberRoute(sessions.close, (ctx, { params, body }) => close(ctx, params.uid, body.device, closeConnection)),
    memberRoute(sessions.setAuthenticated, (ctx, { params, body }) =>
      setAuthenticated(ctx, params.uid, body.authenticated),
    ),
  ]
}
