// Routes of announcements.
import { operations } from '@bowline/contract/operations'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { type RequestContext, type Route, publicRoute } from '../http/route.ts'
import { get, list } from './service.ts'

/**
 * @param db system connection
 * @param edition `cloud` lets pages of any origin read the announcements without credentials: consoles of other
 *   installations show them
 */
export function announcementRoutes(db: Kysely<Schema>, edition: 'community' | 'enterprise' | 'cloud'): Route[] {
  const { announcements } = operations
  const share = ({ reply }: RequestContext): void => {
    if (edition !== 'cloud') return
    void reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', 'x-total-count')
  }
  return [
    publicRoute(announcements.list, (context, { query }) => {
      share(context)
      return list(db, query)
    }),
    publicRoute(announcements.get, (context, { params }) => {
      share(context)
      return get(db, params.uuid)
    }),
  ]
}
