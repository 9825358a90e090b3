// Use cases of changes of many devices: start, look, stop, undo. The work itself is in runner.ts.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Input } from '@bowline/contract/operation'
import type { DeviceJob, DeviceJobAction, deviceJobs } from '@bowline/contract/operations/fleet/device-jobs'
import type { UserId } from '@bowline/contract/schemas/common'
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
  countRunning,
  findJob,
  insertJob,
  isUndone,
  listJobs,
  readOutcome,
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
    const made = await insertJob(db, { tenant: ctx.tenant, user: person(ctx), action, tags, total: uids.length })
    if (!made) throw new Error('a new job undoes nothing')
    await addDevices(db, made, uids)
    const about = { action, tags, devices: uids.length, list, status, filter: filter ? decodeFilter(filter) : [] }
    await audit({ ...ctx, db }, 'device.bulk', made.id, about)
    return made
  })
  tellPerson(ctx, job)
  return describe(ctx, job)
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
    created_at: job.created_at.toISOString(),
    finished_at: job.finished_at?.toISOString() ?? null,
  }
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

async function requireOwn(ctx: TenantContext, id: string): Promise<JobRow> {
  const job = await findJob(ctx.db, id)
  return job?.user_id === person(ctx) ? job : fail('NOT_FOUND', { what: 'The job' })
}
