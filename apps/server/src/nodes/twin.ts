// Two processes with one node id would take each other's lease, links and sessions. The second is stopped before it
// touches anything: while the first lives, its heartbeat moves.
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { currentRun } from './store.ts'

const LOOK_MS = 250
/** A run whose heartbeat has stood still for this long has ended without leaving: longer than between two heartbeats. */
const QUIET_MS = 4_000
/** The same for nodes that run by themselves, whose heartbeats are rarer. */
const LONE_QUIET_MS = 7_000

/** Told to the operator of two processes with one id. @param at address of the other; '' for one without */
export function twinText(node: string, at = ''): string {
  const where = at === '' ? '' : ` (at ${at})`
  return (
    `another server process runs as node ${node}${where}. Each process needs a BOWLINE_DATA_DIR of its own; ` +
    'from a copied one, delete the file node-id.'
  )
}

/**
 * Waits until an earlier run of this node is certainly over: at once if it has left, some seconds after a crash.
 * @param db system connection
 * @throws {Error} if another process runs as this node
 */
export async function awaitEndOfEarlierRun(db: Kysely<Schema>, node: string, clock: Clock): Promise<void> {
  const first = await currentRun(db, node)
  if (!first) return
  const quietMs = first.address === '' ? LONE_QUIET_MS : QUIET_MS
  for (let now: typeof first | undefined = first; now && now.ageMs < quietMs; now = await currentRun(db, node)) {
    const hasMoved = now.life !== first.life || now.heartbeatAt.getTime() !== first.heartbeatAt.getTime()
    if (hasMoved) throw new Error(twinText(node, now.address))
    await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve))
  }
}
