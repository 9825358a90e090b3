// Counters of a namespace.
import { operations } from '@bowline/contract/operations'
import { countUndecided } from '../access-requests/service.ts'
import { countByStatus } from '../devices/service.ts'
import { type Route, memberRoute } from '../http/route.ts'
import { countActiveSessions } from '../sessions/service.ts'

export function statsRoutes(): Route[] {
  return [
    memberRoute(operations.stats.get, async (ctx) => {
      const { devices, containers } = await countByStatus(ctx)
      return {
        registered_devices: devices.accepted + containers.accepted,
        online_devices: devices.online + containers.online,
        pending_devices: devices.pending + containers.pending,
        rejected_devices: devices.rejected + containers.rejected,
        active_sessions: await countActiveSessions(ctx),
        pending_access_requests: await countUndecided(ctx),
        containers: {
          registered: containers.accepted,
          online: containers.online,
          pending: containers.pending,
          rejected: containers.rejected,
        },
      }
    }),
  ]
}
