// The nodes of an installation as its administrators see them.
import { LIMITS } from '@bowline/contract/limits'
import type { NodeState, ServerNode } from '@bowline/contract/operations/instance'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { listNodes } from './store.ts'

/**
 * Nodes that run, and those that were lost within a day.
 * @param db system connection
 * @param self id of the node that answers; '' for none
 */
export async function describeNodes(db: Kysely<Schema>, self: string): Promise<ServerNode[]> {
  return (await listNodes(db)).map((row) => ({
    id: row.id,
    address: row.address,
    version: row.version,
    state: stateOf(row),
    started_at: row.started_at.toISOString(),
    heartbeat_at: row.heartbeat_at.toISOString(),
    links: row.links,
    sessions: row.sessions,
    is_this: row.id === self,
  }))
}

function stateOf(row: { lost_at: Date | null; age_seconds: number; draining: boolean }): NodeState {
  if (row.lost_at !== null) return 'lost'
  if (row.age_seconds >= LIMITS.nodes.deadSeconds) return 'late'
  return row.draining ? 'draining' : 'alive'
}
