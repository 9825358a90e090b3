// Routes of changes of many devices.
import type { RateLimiter } from '@bowline/base/rate-limiter'
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import { personOf } from '../context.ts'
import { sendLines } from '../http/attachment.ts'
import { type Route, memberRoute } from '../http/route.ts'
import { exportFailures, listFailures } from './failures.ts'
import { create, get, list, retry, stop, undo } from './service.ts'

/**
 * @param wake starts the work on a new job
 * @param exports rate limit per person: each reads every failure that matches
 */
export function deviceJobRoutes(wake: () => void, exports: RateLimiter): Route[] {
  const { deviceJobs } = operations
  return [
    memberRoute(deviceJobs.create, async (ctx, { body }) => {
      const job = await create(ctx, body)
      wake()
      return job
    }),
    memberRoute(deviceJobs.list, (ctx) => list(ctx)),
    memberRoute(deviceJobs.get, (ctx, { params }) => get(ctx, params.id)),
    memberRoute(deviceJobs.failures, async (ctx, { params: { id }, query: { format, ...query } }) => {
      if (format === 'json') return listFailures(ctx, id, query)
      if (!exports.take(personOf(ctx.actor) ?? ctx.tenant)) fail('TOO_MANY_REQUESTS', { seconds: 10 })
      const { lines, total } = await exportFailures(ctx, id, { ...query, format }, () => ctx.isStillAdmitted())
      void ctx.reply.header('x-total-count', String(total))
      return sendLines(ctx, 'failures', format, lines)
    }),
    memberRoute(deviceJobs.stop, (ctx, { params }) => stop(ctx, params.id)),
    memberRoute(deviceJobs.retry, async (ctx, { params }) => {
      const job = await retry(ctx, params.id)
      wake()
      return job
    }),
    memberRoute(deviceJobs.undo, async (ctx, { params }) => {
      const job = await undo(ctx, params.id)
      wake()
      return job
    }),
  ]
}
