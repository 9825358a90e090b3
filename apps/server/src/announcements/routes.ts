// Routes of announcements.
import { operations } from '@bowline/contract/operations'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { type RequestContext, type Route, publicRoute } from '../http/route.ts'
import { get, list } from './service.ts'

/**
 * @param db system connection
 * @param edition consoles of other installations read the hosted service's announcements from their own origin: there
 *   any page may read them, without credentials
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
