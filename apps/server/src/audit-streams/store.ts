// SQL of audit streams, as they are sent. System connection.
import { LIMITS } from '@bowline/contract/limits'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { AuditStreamsTable } from '../db/tables/alert-tables.ts'

type Db = Kysely<Schema>
export type StreamRow = Selectable<AuditStreamsTable>

const FREE = sql<Date>`'-infinity'`

/**
 * Leases a stream that has something to read up to an id; the given ones and those of the given namespaces stay.
 * @param args.slow further streams that stay
 * @param args.failing whether it may be one whose receiver fails
 */
export async function claimStream(
  system: Db,
  {
    upTo,
    seconds,
    streams,
    tenants,
    slow,
    failing,
  }: {
    readonly upTo: number
    readonly seconds: number
    readonly streams: readonly string[]
    readonly tenants: readonly string[]
    readonly slow: readonly string[]
    readonly failing: boolean
  },
): Promise<StreamRow | undefined> {
  const { rows } = await sql<StreamRow>`
    with due as (
      select stream.id from audit_streams stream join namespaces using (tenant_id)
        where active and due_at <= now() and leased_until < now() and namespaces.disabled_at is null
          and (${failing} or failing_since is null)
          and stream.id <> all(${[...streams, ...slow]}::uuid[]) and stream.tenant_id <> all(${tenants}::uuid[])
          and exists (select from audit_log entry
            where entry.tenant_id = stream.tenant_id and entry.id > stream.position and entry.id <= ${upTo})
        order by due_at limit 1 for update of stream skip locked)
    update audit_streams stream set leased_until = now() + make_interval(secs => ${seconds}), attempts = attempts + 1
      from due where stream.id = due.id returning stream.*`.execute(system)
  return rows[0]
}

/** Entries up to `position` have arrived. One whose lease another node has taken over meanwhile stays as it is. */
export async function markArrived(system: Db, stream: StreamRow, position: number, answer: string): Promise<void> {
  await system
    .updateTable('audit_streams')
    .set({ position, answer, attempts: 0, failing_since: null, due_at: sql<Date>`now()`, leased_until: FREE })
    .where('id', '=', stream.id)
    .where('leased_until', '=', stream.leased_until)
    .execute()
}

/**
 * The attempt failed; the position stays. Where a member has had the stream tried afresh meanwhile, as with another address,
 * this tells nothing of what comes next: the stream is due again as it was set.
 * @returns true when it has failed for too long and is paused by this
 */
export async function markFailed(
  system: Db,
  stream: StreamRow,
  answer: string,
  retrySeconds: number,
): Promise<boolean> {
  const { rows } = await sql<{ disabled_reason: string | null }>`
    update audit_streams set answer = ${answer}, failing_since = coalesce(failing_since, now()), leased_until = ${FREE},
        due_at = now() + make_interval(secs => ${retrySeconds}),
        active = active and not ${IS_TOO_LONG},
        disabled_reason = case when active and ${IS_TOO_LONG} then ${answer} else disabled_reason end
      where id = ${stream.id} and leased_until = ${stream.leased_until} and attempts = ${stream.attempts}
      returning disabled_reason`.execute(system)
  const [row] = rows
  // Null where a member has paused it meanwhile.
  if (row) return row.disabled_reason !== null
  await system
    .updateTable('audit_streams')
    .set({ leased_until: FREE })
    .where('id', '=', stream.id)
    .where('leased_until', '=', stream.leased_until)
    .execute()
  return false
}

const IS_TOO_LONG = sql`coalesce(failing_since < now() - make_interval(hours => ${LIMITS.alerts.failingHours}), false)`
