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
 * Changes a rollout that is still in the state and stage that the caller has seen.
 * @returns false when it is not
 */
export async function changeRollout(
  db: Kysely<Schema>,
  seen: Pick<RolloutRow, 'id' | 'state' | 'stage'>,
  change: Partial<Pick<RolloutRow, 'state' | 'stage' | 'reason' | 'stage_since' | 'ended_at'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('agent_rollouts')
    .set(change)
    .where('id', '=', seen.id)
    .where('state', '=', seen.state)
    .where('stage', '=', seen.stage)
    .executeTakeFirst()
  return numUpdatedRows === 1n
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

/** Progress of a rollout among the devices of its stage and of those before. */
export interface Standing {
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
  times: { readonly reportedSince: Date; readonly updatedBefore: Date; readonly grantedBefore: Date },
): Promise<Standing> {
  const { release } = rollout
  const failed = sql<boolean>`(s.release < ${release} and (s.failed_release = ${release}
    or (s.granted_release = ${release} and s.granted_at <= ${times.grantedBefore} and s.reported_at <= s.granted_at)))`
  const { rows } = await sql<Standing>`
    select count(*) filter (where s.reported_at > ${times.reportedSince} or s.release >= ${release} or ${failed}) as total,
      count(*) filter (where s.release >= ${release}) as updated,
      count(*) filter (where s.release >= ${release} and s.since <= ${times.updatedBefore}
        and s.reported_at > ${times.reportedSince} and d.disconnected_at is null) as healthy,
      count(*) filter (where ${failed}) as failed
    from agent_states s join devices d on d.uid = s.device_uid
    where d.status = 'accepted' and s.obstacle is null and ${inStage(rollout)}`.execute(db)
  const [standing = { total: 0, updated: 0, healthy: 0, failed: 0 }] = rows
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
