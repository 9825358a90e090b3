// Counters of a namespace.
import { operations } from '@bowline/contract/operations'
import { countByStatus } from '../devices/service.ts'
import { type Route, memberRoute } from '../http/route.ts'
import { countActiveSessions } from '../sessions/service.ts'

export function statsRoutes(): Route[] {
  return [
    memberRoute(operations.stats.get, async (ctx) => {
      const devices = await countByStatus(ctx)
      return {
        registered_devices: devices.accepted,
        online_devices: devices.online,
        pending_devices: devices.pending,
        rejected_devices: devices.rejected,
        active_sessions: await countActiveSessions(ctx),
      }
    }),
  ]
}
