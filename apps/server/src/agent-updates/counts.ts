// What metrics tell of updates, over all namespaces. Every node tells the same.
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { UpdateCounts } from '../platform/metrics.ts'
import { countAll } from './store.ts'

const ROLLOUT_STATES = ['running', 'paused', 'halted', 'aborted', 'done'] as const
const DEVICE_STATES = ['current', 'updating', 'behind', 'failed', 'excluded'] as const
const FAILURE_CAUSES = ['ended', 'unreachable', 'interrupted', 'start', 'disk', 'fetch', 'other'] as const

/** Scrapes are frequent, and come from several Prometheus servers. */
const KEPT_MS = 30_000

/** @param db system connection @returns reads the counts, at most twice a minute; undefined while the database is away */
export function updateCounts(db: Kysely<Schema>, clock: Clock): () => Promise<UpdateCounts | undefined> {
  let last: { readonly at: number; readonly counts: Promise<UpdateCounts | undefined> } | undefined
  return () => {
    const at = clock.monotonic()
    if (last === undefined || at - last.at >= KEPT_MS) last = { at, counts: read(db).catch(() => undefined) }
    return last.counts
  }
}

async function read(db: Kysely<Schema>): Promise<UpdateCounts> {
  const rows = await countAll(db)
  const of = (kind: string, labels: readonly string[] = []): Record<string, number> => ({
    ...Object.fromEntries(labels.map((label) => [label, 0])),
    ...Object.fromEntries(rows.flatMap((row) => (row.kind === kind ? [[row.label, row.count]] : []))),
  })
  return {
    rollouts: of('rollout', ROLLOUT_STATES),
    devices: of('device', DEVICE_STATES),
    failures: of('failure', FAILURE_CAUSES),
    releases: of('release'),
  }
}
