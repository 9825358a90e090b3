// Use cases of changes of many devices: start, look, stop, undo. The work itself is in runner.ts.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Input } from '@bowline/contract/operation'
import type { DeviceJob, DeviceJobAction, deviceJobs } from '@bowline/contract/operations/fleet/device-jobs'
import type { DeviceUid, UserId } from '@bowline/contract/schemas/common'
import type { Permission } from '@bowline/contract/roles'
import { audit } from '../audit/service.ts'
import { type TenantContext, personOf, actorMay, roleOf } from '../context.ts'
import { decodeFilter } from '../db/lists/filter.ts'
import { scopeOf } from '../devices/list/service.ts'
import { selectUids } from '../devices/list/store.ts'
import { interrupt, tellPerson } from './ending.ts'
import {
  type JobRow,
  addChangedBy,
  addDevices,
  canRetry,
  countRunning,
  findJob,
  insertJob,
  isUndone,
  listJobs,
  readOutcome,
  retryableUids,
} from './store.ts'

/** Permission that each action needs, the one of the call for a single device; an undo needs that of what it undoes. */
export const PERMISSIONS = {
  accept: 'deviceAccept',
  reject: 'deviceAccept',
  tag: 'deviceTagUpdate',
  untag: 'deviceTagUpdate',
  remove: 'deviceRemove',
} as const satisfies Record<Exclude<DeviceJobAction, 'undo'>, Permission>

/** What a device can be brought back from; from an acceptance for a while only. */
const UNDONE: readonly DeviceJobAction[] = ['accept', 'reject', 'tag', 'untag']

/**
 * Starts a change of every device that matches now.
 * @throws {BowlineError} FORBIDDEN; INVALID_FILTER; NAMESPACE_FULL while others run
 */
export async function create(ctx: TenantContext, body: Input<typeof deviceJobs.create>['body']): Promise<DeviceJob> {
  const { action, tags, list, status, filter } = body
  requirePermission(ctx, action)
  const scope = scopeOf(ctx, list, { status, filter })
  const job = await ctx.db.transaction().execute(async (db) => {
    await requireRoom({ ...ctx, db })
    const uids = await selectUids(db, {
      ...scope,
      sortBy: 'name',
      order: 'asc',
      limit: LIMITS.deviceJobs.devices,
      offset: 0,
    })
    return begin({ ...ctx, db }, { action, tags }, uids, { list, status, filter: filter ? decodeFilter(filter) : [] })
  })
  tellPerson(ctx, job)
  return describe(ctx, job)
}

/** @param facts which devices these are, for the log */
async function begin(
  ctx: TenantContext,
  { action, tags }: Pick<JobRow, 'action' | 'tags'>,
  uids: readonly DeviceUid[],
  facts: Readonly<Record<string, unknown>>,
): Promise<JobRow> {
  const total = uids.length
  const made = await insertJob(ctx.db, { tenant: ctx.tenant, user: person(ctx), action, tags, total })
  if (!made) throw new Error('a new job undoes nothing')
  await addDevices(ctx.db, made, uids)
  await audit(ctx, 'device.bulk', made.id, { action, tags, devices: total, ...facts })
  return made
}

/** @throws {BowlineError} NOT_FOUND, also for jobs of others */
export async function get(ctx: TenantContext, id: string): Promise<DeviceJob> {
  return describe(ctx, await requireOwn(ctx, id))
}

export async function list(ctx: TenantContext): Promise<DeviceJob[]> {
  const jobs = await listJobs(ctx.db, person(ctx), LIMITS.deviceJobs.listed)
  return Promise.all(jobs.map((job) => describe(ctx, job)))
}

/** @throws {BowlineError} NOT_FOUND */
export async function stop(ctx: TenantContext, id: string): Promise<void> {
  const job = await requireOwn(ctx, id)
  await interrupt(ctx, job)
}

/**
 * Starts the same change of the devices on which it failed for a reason that may end, and of those that a stop has left.
 * @throws {BowlineError} NOT_FOUND; CONFLICT when it runs, is an undo, or has no such device any more; FORBIDDEN
 */
export async function retry(ctx: TenantContext, id: string): Promise<DeviceJob> {
  const old = await requireOwn(ctx, id)
  if (old.action !== 'undo') requirePermission(ctx, old.action)
  const job = await ctx.db.transaction().execute(async (db) => {
    await requireRoom({ ...ctx, db })
    const uids = isRepeatable(old) ? await retryableUids(db, id) : []
    if (uids.length === 0) return fail('CONFLICT', { field: 'id' }, ['id'])
    return begin({ ...ctx, db }, old, uids, { retries: id })
  })
  tellPerson(ctx, job)
  return describe(ctx, job)
}

/** @throws {BowlineError} NOT_FOUND; CONFLICT when it runs, has no undo or none any more, or has been undone; FORBIDDEN */
export async function undo(ctx: TenantContext, id: string): Promise<DeviceJob> {
  const old = await requireOwn(ctx, id)
  if (old.action !== 'undo') requirePermission(ctx, old.action)
  if (old.state === 'running' || !UNDONE.includes(old.action) || isTooLate(old, ctx.clock.now()))
    fail('CONFLICT', { field: 'id' }, ['id'])
  const job = await ctx.db.transaction().execute(async (db) => {
    await requireRoom({ ...ctx, db })
    const { tenant, db: _db } = ctx
    const made = await insertJob(db, { tenant, user: person(ctx), action: 'undo', tags: [], total: 0, undoes: id })
    if (!made) return fail('CONFLICT', { field: 'id' }, ['id'])
    const total = await addChangedBy(db, made, id)
    await audit({ ...ctx, db }, 'device.bulk', made.id, { action: 'undo', of: old.action, devices: total })
    return { ...made, total }
  })
  tellPerson(ctx, job)
  return describe(ctx, job)
}

async function describe({ db, clock }: TenantContext, job: JobRow): Promise<DeviceJob> {
  const { id, action, tags, state, total } = job
  const { done, failures } = await readOutcome(db, id)
  const undoable = state !== 'running' && done > 0 && UNDONE.includes(action) && !isTooLate(job, clock.now())
  return {
    id,
    action,
    tags: [...tags],
    state,
    total,
    done,
    failed: failures.reduce((sum, { count }) => sum + count, 0),
    failures,
    can_undo: undoable && !(await isUndone(db, id)),
    can_retry: isRepeatable(job) && (await canRetry(db, id)),
    created_at: job.created_at.toISOString(),
    finished_at: job.finished_at?.toISOString() ?? null,
  }
}

/** The undo of a job can be asked for once. */
function isRepeatable({ state, action }: JobRow): boolean {
  return state !== 'running' && action !== 'undo'
}

/** Acceptances can be undone for some minutes only. */
function isTooLate({ action, created_at }: JobRow, now: number): boolean {
  return action === 'accept' && created_at.getTime() + LIMITS.acceptanceUndoMinutes * 60_000 <= now
}

function person(ctx: TenantContext): UserId {
  return personOf(ctx.actor) ?? fail('USER_TOKEN_REQUIRED')
}

function requirePermission(ctx: TenantContext, action: keyof typeof PERMISSIONS): void {
  if (!actorMay(ctx.actor, PERMISSIONS[action])) fail('FORBIDDEN', { role: roleOf(ctx.actor) ?? 'none' })
}

async function requireRoom({ db }: TenantContext): Promise<void> {
  const limit = LIMITS.deviceJobs.running
  if ((await countRunning(db)) >= limit) fail('NAMESPACE_FULL', { limit, what: 'running changes of many devices' })
}

/** @throws {BowlineError} NOT_FOUND, also for jobs of others */
export async function requireOwn(ctx: TenantContext, id: string): Promise<JobRow> {
  const job = await findJob(ctx.db, id)
  return job?.user_id === person(ctx) ? job : fail('NOT_FOUND', { what: 'The job' })
}
