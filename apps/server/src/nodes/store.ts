// SQL of nodes: the lease that each server process holds, and what they tell each other. System rows; no tenant sees them.
import type { TenantId } from '@bowline/contract/schemas/common'
import { type Kysely, sql } from 'kysely'
import type { JsonObject, Schema } from '../db/schema.ts'

type Db = Kysely<Schema>

/** One run of a node, as its row has it. */
export interface NodeRun {
  readonly id: string
  /** A uuid of this run. */
  readonly life: string
  readonly address: string
  readonly keyPin: string
  readonly version: string
}

/** What a node says of itself with each heartbeat. */
export interface Heartbeat {
  readonly links: number
  readonly sessions: number
  readonly draining: boolean
  /** Namespaces whose live events are read here; null: all. */
  readonly listening: readonly TenantId[] | null
}

export interface NodeState extends Heartbeat {
  readonly id: string
  readonly life: string
  readonly address: string
  readonly keyPin: string
  readonly version: string
  readonly startedAt: Date
  readonly heartbeatAt: Date
  /** Age of the heartbeat by the database's clock. */
  readonly ageMs: number
  /** Its version leaves a link open that a newer version of the agent takes over. */
  readonly knowsHandover: boolean
}

/** Begins the lease of a run, in place of an earlier run's. */
export async function putNode(db: Db, { id, life, address, keyPin, version }: NodeRun): Promise<void> {
  const now = sql<Date>`now()`
  const values = { life, handover_life: life, address, key_pin: keyPin, version, started_at: now, heartbeat_at: now }
  await db
    .insertInto('nodes')
    .values({ id, ...values })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ ...values, draining: false, links: 0, sessions: 0, listening: [], lost_at: null }),
    )
    .execute()
}

/** Begins the lease of a run anew that has lost it. @returns false if another run of the same node has it now */
export async function reenterNode(db: Db, { id, life, address, keyPin, version }: NodeRun): Promise<boolean> {
  const now = sql<Date>`now()`
  const values = { life, handover_life: life, address, key_pin: keyPin, version, started_at: now, heartbeat_at: now }
  const row = await db
    .insertInto('nodes')
    .values({ id, ...values })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ ...values, lost_at: null })
        .where((where) => where.or([where('nodes.life', '=', life), where('nodes.lost_at', 'is not', null)])),
    )
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The run that has the lease of a node, and the age of its last heartbeat by the database's clock. */
export async function currentRun(
  db: Db,
  id: string,
): Promise<{ life: string; address: string; heartbeatAt: Date; ageMs: number } | undefined> {
  return db
    .selectFrom('nodes')
    .select(['life', 'address', 'heartbeat_at as heartbeatAt'])
    .select(sql<number>`(extract(epoch from now() - heartbeat_at) * 1000)::float8`.as('ageMs'))
    .where('id', '=', id)
    .where('lost_at', 'is', null)
    .executeTakeFirst()
}

/**
 * Renews the lease of a run and reads all leases, in one statement.
 * @returns the nodes that are not lost as they were before; `renewed` is false if the run has lost its lease
 */
export async function renewNode(
  db: Db,
  { id, life }: Pick<NodeRun, 'id' | 'life'>,
  { links, sessions, draining, listening }: Heartbeat,
): Promise<{ renewed: boolean; nodes: NodeState[] }> {
  const { rows } = await sql<NodeState & { isRenewed: boolean }>`
    with renewed as (
      update nodes set heartbeat_at = now(), links = ${links}, sessions = ${sessions}, draining = ${draining},
          listening = ${listening}::uuid[]
        where id = ${id} and life = ${life}::uuid and lost_at is null returning id)
    select node.id, life::text as life, address, key_pin as "keyPin", version, started_at as "startedAt",
        heartbeat_at as "heartbeatAt", draining, links, sessions, listening,
        (extract(epoch from now() - heartbeat_at) * 1000)::float8 as "ageMs",
        coalesce(handover_life = life, false) as "knowsHandover", renewed.id is not null as "isRenewed"
      from nodes node left join renewed on renewed.id = node.id
      where lost_at is null order by node.id`.execute(db)
  return { renewed: rows.some(({ isRenewed }) => isRenewed), nodes: rows }
}

/** Takes the lease away from a node whose heartbeat is too old. @returns true for the one caller that did */
export async function loseNode(db: Db, id: string, life: string, deadMs: number): Promise<boolean> {
  const result = await db
    .updateTable('nodes')
    .set({ lost_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('life', '=', life)
    .where('lost_at', 'is', null)
    .where('heartbeat_at', '<', sql<Date>`now() - make_interval(secs => ${deadMs / 1_000})`)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Ends the lease of a run that leaves by itself. */
export async function removeNode(db: Db, { id, life }: Pick<NodeRun, 'id' | 'life'>): Promise<void> {
  await db.deleteFrom('nodes').where('id', '=', id).where('life', '=', life).execute()
}

/** Forgets nodes that were lost a day ago. */
export async function forgetLostNodes(db: Db): Promise<void> {
  await db
    .deleteFrom('nodes')
    .where('lost_at', '<', sql<Date>`now() - interval '1 day'`)
    .execute()
}

/** Every node, the lost ones of the last day included. */
export function listNodes(db: Db) {
  return db
    .selectFrom('nodes')
    .select(['id', 'address', 'version', 'started_at', 'heartbeat_at', 'draining', 'links', 'sessions', 'lost_at'])
    .select(sql<number>`extract(epoch from now() - heartbeat_at)::float8`.as('age_seconds'))
    .orderBy('id')
    .execute()
}

/** Number that no two transactions that write messages use at once, so that ids become visible in their order. */
const MESSAGE_LOCK = 0x62_6f_77_6c

/** Channel of NOTIFY that wakes nodes. */
export const WAKE_CHANNEL = 'bowline_nodes'

/** Writes messages. @param notify wakes the other nodes too; NOTIFY makes transactions commit one after the other */
export async function writeMessages(
  db: Db,
  node: string,
  bodies: readonly JsonObject[],
  notify: boolean,
): Promise<void> {
  await sql`
    with ordered as materialized (select pg_advisory_xact_lock(${MESSAGE_LOCK}) is null as locked),
      written as (
        insert into node_messages (node, body)
          select ${node}, body from ordered, jsonb_array_elements(${JSON.stringify(bodies)}::jsonb) as body)
    select pg_notify(${WAKE_CHANNEL}, '') where ${notify}`.execute(db)
}

export interface NodeMessage {
  readonly id: number
  readonly node: string
  readonly body: JsonObject
}

/** Messages after `id`, the oldest first. */
export function readMessages(db: Db, id: number, limit: number): Promise<NodeMessage[]> {
  return db
    .selectFrom('node_messages')
    .select([sql<number>`id::float8`.as('id'), 'node', 'body'])
    .where('id', '>', id)
    .orderBy('node_messages.id')
    .limit(limit)
    .execute()
}

/** Id of the newest message that was written; 0 without any. */
export async function newestMessage(db: Db): Promise<number> {
  const row = await db
    .selectFrom('node_messages')
    .select(sql<number>`coalesce(max(id), 0)::float8`.as('id'))
    .executeTakeFirst()
  return row?.id ?? 0
}

/** Deletes messages that every live node has read. */
export async function forgetMessages(db: Db, keptSeconds: number): Promise<void> {
  await db
    .deleteFrom('node_messages')
    .where('at', '<', sql<Date>`now() - make_interval(secs => ${keptSeconds})`)
    .execute()
}

/** Takes or renews the lease of a job. @returns true if the node holds it now */
export async function takeJob(db: Db, job: string, node: string, seconds: number): Promise<boolean> {
  const until = sql<Date>`now() + make_interval(secs => ${seconds})`
  const row = await db
    .insertInto('job_leases')
    .values({ job, node, leased_until: until })
    .onConflict((conflict) =>
      conflict
        .column('job')
        .doUpdateSet({ node, leased_until: until })
        .where((where) =>
          where.or([where('job_leases.node', '=', node), where('job_leases.leased_until', '<', sql<Date>`now()`)]),
        ),
    )
    .returning('job')
    .executeTakeFirst()
  return row !== undefined
}

/** Ends the job leases of a node that stops or is lost. */
export async function releaseJobs(db: Db, node: string): Promise<void> {
  await db.deleteFrom('job_leases').where('node', '=', node).execute()
}
