// This server as a node: its lease, and what becomes of what a lost node had held.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { forgetLinksOf } from '../devices/presence.ts'
import type { NodeIdentity } from '../nodes/identity.ts'
import { type NodeLease, createNodeLease } from '../nodes/lease.ts'
import type { Log } from '../platform/log.ts'
import { closeSessionsOfLostNode } from '../sessions/service.ts'

export interface NodeParts {
  readonly system: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  readonly identity: NodeIdentity
  /** What this node holds. */
  readonly links: () => number
  readonly sessions: () => number
  /** Namespaces whose live events are read here; null: all. */
  readonly listening: () => readonly TenantId[] | null
  /** Ends all links and sessions of this node: others have taken them over. */
  readonly fence: () => void
  /** Another node was lost: any device may have changed. */
  readonly buried: () => void
  /** Called after each heartbeat. */
  readonly beaten: () => void
}

/** The lease of this node. It is not started yet. */
export function composeNode(parts: NodeParts): NodeLease {
  const { system, clock, log, identity } = parts
  return createNodeLease({
    db: system,
    clock,
    log,
    run: identity.run,
    state: () => ({ links: parts.links(), sessions: parts.sessions(), listening: parts.listening() }),
    async bury(db, node) {
      await forgetLinksOf(db, node)
      await closeSessionsOfLostNode(db, node)
    },
    buried: parts.buried,
    fenced: parts.fence,
    beaten: parts.beaten,
  })
}
