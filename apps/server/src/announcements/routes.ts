// Routes of announcements.
import { operations } from '@bowline/contract/operations'
import { type RequestContext, type Route, instanceAdminRoute, publicRoute, userRoute } from '../http/route.ts'
import { type AnnouncementDeps, create, get, list, listAll, markRead, remove, unread, update } from './service.ts'

/**
 * @param edition `cloud` lets pages of any origin read the announcements without credentials: consoles of other
 *   installations show them
 */
export function announcementRoutes(deps: AnnouncementDeps, edition: 'community' | 'enterprise' | 'cloud'): Route[] {
  const { announcements } = operations
  const share = ({ reply }: RequestContext): void => {
    if (edition !== 'cloud') return
    void reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', 'x-total-count')
  }
  return [
    publicRoute(announcements.list, (context, { query }) => {
      share(context)
      return list(deps, query)
    }),
    publicRoute(announcements.get, (context, { params }) => {
      share(context)
      return get(deps, params.uuid)
    }),
    userRoute(announcements.unread, ({ actor }) => unread(deps, actor.id)),
    userRoute(announcements.markRead, ({ actor }, { params }) => markRead(deps, actor.id, params.uuid)),
    instanceAdminRoute(announcements.listAll, (_, { query }) => listAll(deps, query)),
    instanceAdminRoute(announcements.create, async ({ actor, log }, { body }) => {
      const made = await create(deps, body)
      log.info('announcement.changed', { by: actor.username, announcement: made.uuid, change: 'create' })
      return made
    }),
    instanceAdminRoute(announcements.update, async ({ actor, log }, { params, body }) => {
      const changed = await update(deps, params.uuid, body)
      log.info('announcement.changed', { by: actor.username, announcement: changed.uuid, change: 'update' })
      return changed
    }),
    instanceAdminRoute(announcements.remove, async ({ actor, log }, { params }) => {
      await remove(deps, params.uuid)
      log.info('announcement.changed', { by: actor.username, announcement: params.uuid, change: 'remove' })
    }),
  ]
}
