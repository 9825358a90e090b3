// SQL of updates of agents.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { AgentRolloutsTable, AgentUpdateTables } from '../db/tables/agent-update-tables.ts'
import type { Schema } from '../db/schema.ts'

export type PolicyRow = Selectable<AgentUpdateTables['agent_update_policies']>
export type RolloutRow = Selectable<AgentRolloutsTable>

/** Devices in `tenth`: uids are SHA-256 in hexadecimal, so a tenth of them, always the same, is below this. */
const TENTH = '1999'

export function findPolicy(db: Kysely<Schema>): Promise<PolicyRow | undefined> {
  return db.selectFrom('agent_update_policies').selectAll().executeTakeFirst()
}

export function lockPolicyWithTag(db: Kysely<Schema>, tag: string): Promise<PolicyRow | undefined> {
  const policies = db.selectFrom('agent_update_policies').selectAll().where('canary_tag', '=', tag)
  return policies.forUpdate().executeTakeFirst()
}

export async function upsertPolicy(
  db: Kysely<Schema>,
  policy: Insertable<AgentUpdateTables['agent_update_policies']>,
): Promise<void> {
  const { tenant_id: _, ...values } = policy
  await db
    .insertInto('agent_update_policies')
    .values(policy)
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(values))
    .execute()
}

export function findLatestRollout(db: Kysely<Schema>): Promise<RolloutRow | undefined> {
  return db.selectFrom('agent_rollouts').selectAll().orderBy('started_at', 'desc').limit(1).executeTakeFirst()
}

export function findOpenRollout(db: Kysely<Schema>): Promise<RolloutRow | undefined> {
  return db.selectFrom('agent_rollouts').selectAll().where('ended_at', 'is', null).executeTakeFirst()
}

export function lockOpenRolloutWithTag(db: Kysely<Schema>, tag: string): Promise<RolloutRow | undefined> {
  const open = db.selectFrom('agent_rollouts').selectAll().where('ended_at', 'is', null)
  return open.where('canary_tag', '=', tag).forUpdate().executeTakeFirst()
}

export async function setRolloutTag(db: Kysely<Schema>, id: string, tag: string): Promise<void> {
  await db.updateTable('agent_rollouts').set({ canary_tag: tag }).where('id', '=', id).execute()
}

/** @returns undefined when another one is in progress */
export function insertRollout(
  db: Kysely<Schema>,
  rollout: Insertable<AgentRolloutsTable>,
): Promise<RolloutRow | undefined> {
  return db
    .insertInto('agent_rollouts')
    .values(rollout)
    .onConflict((conflict) => conflict.column('tenant_id').where('ended_at', 'is', null).doNothing())
    .returningAll()
    .executeTakeFirst()
}

/**
 * Changes a rollout that is still in the state and stage that the caller has seen, with the same canary tag: by one that
 * has been renamed since, no device would have been found.
 * @returns false when it is not
 */
export async function changeRollout(
  db: Kysely<Schema>,
  seen: Pick<RolloutRow, 'id' | 'state' | 'stage' | 'canary_tag'>,
  change: Partial<Pick<RolloutRow, 'state' | 'stage' | 'reason' | 'stage_since' | 'ended_at'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('agent_rollouts')
    .set(change)
    .where('id', '=', seen.id)
    .where('state', '=', seen.state)
    .where('stage', '=', seen.stage)
    .where('canary_tag', 'is not distinct from', seen.canary_tag)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Records that the job has seen to a rollout. In one statement, as a former holder of the job's lease may still be at it.
 * @param look `isHeard`: devices are heard of; without a look after `gapAfter` they may not have been since
 * @returns since when they have been heard of without a gap; null: they are not now
 */
export async function noteLook(
  db: Kysely<Schema>,
  id: string,
  { isHeard, now, gapAfter }: { readonly isHeard: boolean; readonly now: Date; readonly gapAfter: Date },
): Promise<Date | null> {
  const since = sql<Date>`case when looked_at >= ${gapAfter} then coalesce(heard_since, ${now}::timestamptz) else ${now}::timestamptz end`
  const row = await db
    .updateTable('agent_rollouts')
    .set({ heard_since: isHeard ? since : null, looked_at: sql<Date>`greatest(looked_at, ${now}::timestamptz)` })
    .where('id', '=', id)
    .returning('heard_since')
    .executeTakeFirst()
  return row?.heard_since ?? null
}

/** Whether any device of the installation has reported since. @param db system connection */
export async function hasReportSince(db: Kysely<Schema>, since: Date): Promise<boolean> {
  const reports = db.selectFrom('agent_states').select('device_uid').where('reported_at', '>', since).limit(1)
  return (await reports.executeTakeFirst()) !== undefined
}

export interface Report {
  readonly release: number
  readonly obstacle: string | null
  readonly failed: { readonly release: number; readonly reason: string } | undefined
}

export async function upsertState(
  db: Kysely<Schema>,
  device: { readonly uid: DeviceUid; readonly tenant: TenantId },
  { release, obstacle, failed }: Report,
  now: Date,
): Promise<void> {
  const told = {
    release,
    obstacle,
    failed_release: failed?.release ?? null,
    failed_reason: failed?.reason ?? null,
    reported_at: now,
  }
  await db
    .insertInto('agent_states')
    .values({ device_uid: device.uid, tenant_id: device.tenant, since: now, ...told })
    .onConflict((conflict) =>
      conflict.column('device_uid').doUpdateSet({
        ...told,
        since: sql<Date>`case when agent_states.release = excluded.release then agent_states.since else excluded.since end`,
      }),
    )
    .execute()
}

/**
 * Lets a device fetch the release of a rollout, if it is its turn and fewer than `atOnce` others are at it.
 * @param since grants from then on count as under way
 */
export async function grantUpdate(
  db: Kysely<Schema>,
  uid: DeviceUid,
  rollout: RolloutRow,
  limits: { readonly atOnce: number; readonly since: Date; readonly now: Date },
): Promise<boolean> {
  const { release } = rollout
  const { rows } = await sql`
    update agent_states s
    set granted_release = ${release},
      granted_at = case when s.granted_release = ${release} then s.granted_at else ${limits.now} end
    from devices d
    where s.device_uid = ${uid} and d.uid = s.device_uid and d.status = 'accepted'
      and s.release < ${release} and s.obstacle is null and s.failed_release is distinct from ${release}
      and ${inStage(rollout)}
      and (s.granted_release = ${release} or ${limits.atOnce} > (
        select count(*) from agent_states g
        where g.granted_release = ${release} and g.release < ${release}
          and g.failed_release is distinct from ${release} and g.granted_at > ${limits.since}))
    returning s.device_uid`.execute(db)
  return rows.length === 1
}

/** Lets the device's next link leave the present one open that announces it. */
export async function openHandover(db: Kysely<Schema>, uid: DeviceUid, until: Date): Promise<void> {
  await db.updateTable('agent_states').set({ handover_until: until }).where('device_uid', '=', uid).execute()
}

/** Takes what {@link openHandover} has let. @returns the release that the device reports; undefined: it may not */
export async function takeOpenHandover(db: Kysely<Schema>, uid: DeviceUid, now: Date): Promise<number | undefined> {
  const row = await db
    .updateTable('agent_states')
    .set({ handover_until: null })
    .where('device_uid', '=', uid)
    .where('handover_until', '>', now)
    .returning('release')
    .executeTakeFirst()
  return row?.release
}

/** Progress of a rollout among the devices of its stage and of those before. */
export interface Standing {
  /** Devices that update themselves, however silent they are. */
  readonly known: number
  /** Devices that have reported lately, and those that have tried the release, however silent they are since. */
  readonly total: number
  readonly updated: number
  /** Those among them that are online and have been updated for long enough. */
  readonly healthy: number
  /** Devices that went back, or have not been heard of since they were let fetch it. */
  readonly failed: number
}

export async function readStanding(
  db: Kysely<Schema>,
  rollout: RolloutRow,
  times: {
    /** Devices that have reported since are not silent. */
    readonly reportedSince: Date
    /** Silent devices do not count. Undefined: the server could not hear them, so that they do. */
    readonly silentSince: Date | undefined
    readonly updatedBefore: Date
    /** Devices that were let fetch before then, and are silent since, have failed. Undefined: the server could not hear them. */
    readonly grantedBefore: Date | undefined
  },
): Promise<Standing> {
  const { release } = rollout
  const failed = sql<boolean>`(s.release < ${release} and (s.failed_release = ${release}
    or (s.granted_release = ${release} and s.granted_at <= ${times.grantedBefore ?? null} and s.reported_at <= s.granted_at)))`
  const counts = sql<boolean>`(s.reported_at > ${times.silentSince ?? new Date(0)} or s.release >= ${release} or ${failed})`
  const { rows } = await sql<Standing>`
    select count(*) as known, count(*) filter (where ${counts}) as total,
      count(*) filter (where s.release >= ${release}) as updated,
      count(*) filter (where s.release >= ${release} and s.since <= ${times.updatedBefore}
        and s.reported_at > ${times.reportedSince} and d.disconnected_at is null) as healthy,
      count(*) filter (where ${failed}) as failed
    from agent_states s join devices d on d.uid = s.device_uid
    where d.status = 'accepted' and s.obstacle is null and ${inStage(rollout)}`.execute(db)
  const [standing = { known: 0, total: 0, updated: 0, healthy: 0, failed: 0 }] = rows
  return standing
}

function inStage({ stage, canary_tag: tag, started_at: start }: RolloutRow): RawBuilder<boolean> {
  if (stage === 'all') return sql<boolean>`true`
  const canary = tag === null ? sql<boolean>`false` : sql<boolean>`${tag} = any(d.tags)`
  if (stage === 'canary') return canary
  // A small namespace may have no device below the tenth: one that is alive goes first, so that the stage does not wait for ever.
  const first = sql`select min(f.device_uid) from agent_states f join devices e on e.uid = f.device_uid
    where e.status = 'accepted' and f.obstacle is null and f.reported_at >= ${start}`
  return sql<boolean>`(${canary} or d.uid < ${TENTH} or d.uid = (${first}))`
}

export async function countReleases(db: Kysely<Schema>): Promise<{ release: number; devices: number }[]> {
  const rows = await db
    .selectFrom('agent_states as s')
    .innerJoin('devices as d', 'd.uid', 's.device_uid')
    .where('d.status', '=', 'accepted')
    .groupBy('s.release')
    .orderBy('s.release', 'desc')
    .limit(50)
    .select(({ fn }) => ['s.release', fn.countAll<number>().as('devices')])
    .execute()
  return rows.map(({ release, devices }) => ({ release, devices }))
}

export async function countObstacles(db: Kysely<Schema>): Promise<{ reason: string; devices: number }[]> {
  const rows = await db
    .selectFrom('agent_states as s')
    .innerJoin('devices as d', 'd.uid', 's.device_uid')
    .where('d.status', '=', 'accepted')
    .where('s.obstacle', 'is not', null)
    .groupBy('s.obstacle')
    .orderBy('s.obstacle')
    .limit(20)
    .select(({ fn }) => ['s.obstacle', fn.countAll<number>().as('devices')])
    .execute()
  return rows.map(({ obstacle, devices }) => ({ reason: obstacle ?? '', devices }))
}

/** Namespaces with a rollout that runs, or that begin them by themselves. @param db system connection */
export async function namespacesToUpdate(db: Kysely<Schema>): Promise<TenantId[]> {
  const running = db.selectFrom('agent_rollouts').where('state', '=', 'running').select('tenant_id')
  const automatic = db.selectFrom('agent_update_policies').where('mode', '=', 'automatic').select('tenant_id')
  return (await running.union(automatic).execute()).map((row) => row.tenant_id)
}

/**
 * Numbers for metrics, over all namespaces. Labels are few, whatever devices report.
 * @param db system connection
 */
export async function countAll(db: Kysely<Schema>): Promise<{ kind: string; label: string; count: number }[]> {
  const { rows } = await sql<{ kind: string; label: string; count: number }>`
    with latest as (
        select distinct on (tenant_id) tenant_id, release, state from agent_rollouts order by tenant_id, started_at desc),
      accepted as (
        select s.release, s.failed_release = latest.release and s.release < latest.release as has_failed,
            case
              when s.failed_reason like 'it ended %' then 'ended'
              when s.failed_reason like 'it did not reach the server %' then 'unreachable'
              when s.failed_reason like 'the machine or the service was stopped %' then 'interrupted'
              when s.failed_reason like 'the new version does not start %' then 'start'
              when s.failed_reason = 'the disk is full' or s.failed_reason like 'less than % are free' then 'disk'
              when s.failed_reason like '%/agent/%' then 'fetch'
              else 'other'
            end as cause,
            case
              when s.obstacle is not null then 'excluded'
              when latest.release is null or s.release >= latest.release then 'current'
              when s.failed_release = latest.release then 'failed'
              when s.granted_release = latest.release and latest.state = 'running' then 'updating'
              else 'behind'
            end as state
          from agent_states s join devices d on d.uid = s.device_uid left join latest on latest.tenant_id = s.tenant_id
          where d.status = 'accepted'),
      known as (select distinct release from agent_rollouts order by release desc limit 50)
    select 'rollout' as kind, state as label, count(*)::int as count from latest group by state
    union all select 'device', state, count(*)::int from accepted group by state
    union all select 'failure', cause, count(*)::int from accepted where has_failed group by cause
    union all select 'release', label, count(*)::int from (
      select case when release = 0 or release in (select release from known) then release::text else 'other' end as label
        from accepted) labelled group by label`.execute(db)
  return rows
}
