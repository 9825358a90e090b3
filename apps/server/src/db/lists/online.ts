// The condition under which a device is online, for queries of devices.
import { LIMITS } from '@bowline/contract/limits'
import { sql } from 'kysely'

/** Nodes that renew their lease. Asked through a function: the tenant role sees nothing else of nodes. */
const liveNodes = sql`(select beat.id from node_heartbeats() beat
  where beat.heartbeat_at > now() - make_interval(secs => ${sql.lit(LIMITS.nodes.deadSeconds)}))`

/**
 * Online: the link has not closed, and the node that holds it is alive. A link of the last two minutes counts in any
 * case: it may be a node of a version before leases.
 */
export const online = sql<boolean>`devices.disconnected_at is null and (devices.link_node in ${liveNodes}
  or devices.last_seen > now() - make_interval(secs => ${sql.lit(LIMITS.onlineWindowSeconds)}))`
