// SQL of changes of many devices.
import type { DeviceJob, DeviceJobAction } from '@bowline/contract/operations/fleet/device-jobs'
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import { type Kysely, type Selectable, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { DeviceJobsTable, Schema } from '../db/schema.ts'

export type JobRow = Selectable<DeviceJobsTable>

/** Devices named for each cause of failure. */
const EXAMPLES = 5

export interface NewJob {
  readonly tenant: TenantId
  readonly user: UserId
  readonly action: DeviceJobAction
  readonly tags: readonly string[]
  readonly total: number
  readonly undoes?: string
}

/** @returns undefined when the job that it undoes has been undone before */
export function insertJob(db: Kysely<Schema>, job: NewJob): Promise<JobRow | undefined> {
  const { tenant: tenant_id, user: user_id, action, tags, total, undoes = null } = job
  return db
    .insertInto('device_jobs')
    .values({ tenant_id, user_id, action, tags, total, undoes })
    .onConflict((conflict) => conflict.column('undoes').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Adds devices with their present status and tags. */
export async function addDevices(db: Kysely<Schema>, job: JobRow, uids: readonly DeviceUid[]): Promise<void> {
  await db
    .insertInto('device_job_items')
    .columns(['tenant_id', 'job_id', 'device_uid', 'name', 'status_before', 'tags_before'])
    .expression(
      db
        .selectFrom('devices')
        .select([
          'tenant_id',
          sql<string>`${job.id}::uuid`.as('job_id'),
          'uid',
          'name',
          'status as status_before',
          'tags as tags_before',
        ])
        .where(sql<boolean>`uid = any(${uids})`),
    )
    .execute()
}

/** Adds the devices that another job has changed, with what they had before it. @returns how many */
export async function addChangedBy(db: Kysely<Schema>, job: JobRow, other: string): Promise<number> {
  const added = await db
    .insertInto('device_job_items')
    .columns(['tenant_id', 'job_id', 'device_uid', 'name', 'status_before', 'tags_before'])
    .expression(
      db
        .selectFrom('device_job_items')
        .select([
          'tenant_id',
          sql<string>`${job.id}::uuid`.as('job_id'),
          'device_uid',
          'name',
          'status_before',
          'tags_before',
        ])
        .where('job_id', '=', other)
        .where('state', '=', 'done'),
    )
    .executeTakeFirst()
  const total = Number(added.numInsertedOrUpdatedRows ?? 0n)
  await db.updateTable('device_jobs').set({ total }).where('id', '=', job.id).execute()
  return total
}

/** Refusals that the same change of the same device meets again. */
const FINAL = ['TAG_LIMIT', 'DEVICE_REPLACES_ONE', 'NOT_FOUND']

/** Devices of a job that can be tried again: it failed for a reason that may end, or was stopped before. */
function retryable(db: Kysely<Schema>, id: string) {
  return (
    db
      .selectFrom('device_job_items as item')
      // Others have been removed since.
      .innerJoin('devices', 'devices.uid', 'item.device_uid')
      .select('item.device_uid')
      .where('item.job_id', '=', id)
      .where((eb) =>
        eb.or([
          eb('item.state', '=', 'waiting'),
          eb.and([eb('item.state', '=', 'failed'), eb('item.error_code', 'not in', FINAL)]),
        ]),
      )
  )
}

export async function canRetry(db: Kysely<Schema>, id: string): Promise<boolean> {
  return (await retryable(db, id).limit(1).executeTakeFirst()) !== undefined
}

export async function retryableUids(db: Kysely<Schema>, id: string): Promise<DeviceUid[]> {
  const rows = await retryable(db, id).execute()
  return rows.map(({ device_uid: uid }) => uid)
}

export function countRunning(db: Kysely<Schema>): Promise<number> {
  return countRows(db.selectFrom('device_jobs').where('state', '=', 'running'))
}

export function findJob(db: Kysely<Schema>, id: string): Promise<JobRow | undefined> {
  return db.selectFrom('device_jobs').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Those that run, then the newest. */
export function listJobs(db: Kysely<Schema>, user: UserId, limit: number): Promise<JobRow[]> {
  const own = db.selectFrom('device_jobs').selectAll().where('user_id', '=', user)
  return own
    .orderBy(sql`state = 'running'`, 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** True when another job takes this one back. */
export async function isUndone(db: Kysely<Schema>, id: string): Promise<boolean> {
  return (await countRows(db.selectFrom('device_jobs').where('undoes', '=', id))) > 0
}

export interface Outcome {
  readonly done: number
  readonly failures: DeviceJob['failures']
}

export async function readOutcome(db: Kysely<Schema>, id: string): Promise<Outcome> {
  const { rows } = await sql<{ state: string; code: string; message: string; count: number; examples: string[] }>`
    select state, coalesce(error_code, '') as code, coalesce(error_message, '') as message, count(*)::int as count,
      (array_agg(name order by name))[1:${sql.lit(EXAMPLES)}] as examples
    from device_job_items where job_id = ${id}::uuid and state <> 'waiting'
    group by 1, 2, 3 order by 4 desc, 3`.execute(db)
  return {
    done: rows.find(({ state }) => state === 'done')?.count ?? 0,
    failures: rows.flatMap(({ state, code, message, count, examples }) =>
      state === 'failed' ? [{ code, message, count, examples }] : [],
    ),
  }
}

/** Claims a running job that no node works on. @param system connection of all namespaces */
export function claimJob(system: Kysely<Schema>, seconds: number): Promise<JobRow | undefined> {
  return system
    .updateTable('device_jobs')
    .set({ leased_until: leaseEnd(seconds) })
    .where('id', '=', (select) =>
      select
        .selectFrom('device_jobs')
        .select('id')
        .where('state', '=', 'running')
        .where('leased_until', '<', sql<Date>`now()`)
        .orderBy('created_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst()
}

export async function isRunning(db: Kysely<Schema>, id: string): Promise<boolean> {
  return (await findJob(db, id))?.state === 'running'
}

/** @returns false when the job is no longer running */
export async function renewLease(db: Kysely<Schema>, id: string, seconds: number): Promise<boolean> {
  const job = db.updateTable('device_jobs').set({ leased_until: leaseEnd(seconds) })
  const row = await job.where('id', '=', id).where('state', '=', 'running').returning('id').executeTakeFirst()
  return row !== undefined
}

function leaseEnd(seconds: number) {
  return sql<Date>`now() + make_interval(secs => ${seconds})`
}

export interface WaitingItem {
  readonly device_uid: DeviceUid
  readonly status_before: string
  readonly tags_before: readonly string[]
}

export function readWaiting(db: Kysely<Schema>, id: string, limit: number): Promise<WaitingItem[]> {
  return db
    .selectFrom('device_job_items')
    .select(['device_uid', 'status_before', 'tags_before'])
    .where('job_id', '=', id)
    .where('state', '=', 'waiting')
    .orderBy('device_uid')
    .limit(limit)
    .execute()
}

/** @param failure absent: it worked */
export async function settleItem(
  db: Kysely<Schema>,
  id: string,
  uid: DeviceUid,
  failure?: { readonly code: string; readonly message: string },
): Promise<void> {
  await db
    .updateTable('device_job_items')
    .set({
      state: failure ? 'failed' : 'done',
      error_code: failure?.code ?? null,
      error_message: failure?.message ?? null,
    })
    .where('job_id', '=', id)
    .where('device_uid', '=', uid)
    .execute()
}

/** @returns false when it has ended before */
export async function endJob(db: Kysely<Schema>, id: string, state: 'done' | 'stopped'): Promise<boolean> {
  const job = db.updateTable('device_jobs').set({ state, finished_at: sql<Date>`now()` })
  const row = await job.where('id', '=', id).where('state', '=', 'running').returning('id').executeTakeFirst()
  return row !== undefined
}

/** @param system connection of all namespaces */
export async function deleteEnded(system: Kysely<Schema>, before: Date): Promise<void> {
  await system.deleteFrom('device_jobs').where('finished_at', '<', before).execute()
}
