// Routes of changes of many devices.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { create, get, list, retry, stop, undo } from './service.ts'

/** @param wake starts the work on a new job */
export function deviceJobRoutes(wake: () => void): Route[] {
  const { deviceJobs } = operations
  return [
    memberRoute(deviceJobs.create, async (ctx, { body }) => {
      const job = await create(ctx, body)
      wake()
      return job
    }),
    memberRoute(deviceJobs.list, (ctx) => list(ctx)),
    memberRoute(deviceJobs.get, (ctx, { params }) => get(ctx, params.id)),
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
