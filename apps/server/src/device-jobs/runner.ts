// Does the work of changes of many devices. Any node takes over a job whose node has stopped: devices that are done are
// marked one by one. Each batch runs with the rights that the person has by then.
import { BowlineError, fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceJobAction } from '@bowline/contract/operations/fleet/device-jobs'
import type { Role } from '@bowline/contract/roles'
import { BackgroundLoop } from '@bowline/base/background-loop'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { subjectIn } from '../auth/ways-in.ts'
import { type Actor, type RecordingRemoval, type TenantContext, type UserActor, actorMay } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { setStatus, undoAccept } from '../devices/acceptance.ts'
import { get as getDevice, remove, setTags } from '../devices/service.ts'
import type { Log } from '../platform/log.ts'
import { PERMISSIONS } from './service.ts'
import { finish, tellPerson } from './ending.ts'
import {
  type JobRow,
  type WaitingItem,
  claimJob,
  deleteEnded,
  findJob,
  isRunning,
  readWaiting,
  renewLease,
  settleItem,
} from './store.ts'

/** Devices between two looks at the rights of the person. */
const BATCH = 25
/** Devices that are changed at once, between two looks at whether the job was stopped. */
const AT_ONCE = 4
/** Longer than a batch takes, so that no other node joins in. */
const LEASE_SECONDS = 60

export interface RunnerDeps {
  /** System connection: jobs of all namespaces, and accounts. */
  readonly system: Kysely<Schema>
  readonly tenantContext: (tenant: TenantId, actor: Actor) => TenantContext
  readonly removal: RecordingRemoval
  readonly log: Log
}

export interface DeviceJobLoop {
  /** Works on every job that no other node has. */
  wake(): void
  /** Gives the job under way back after its batch. */
  stop(): Promise<void>
}

/** Wake it when there is a new job, and now and then for those of nodes that have stopped. */
export function deviceJobLoop(deps: RunnerDeps): DeviceJobLoop {
  let isStopping = false
  const loop = new BackgroundLoop(async () => {
    try {
      for (;;) {
        const job = isStopping ? undefined : await claimJob(deps.system, LEASE_SECONDS)
        if (!job) return
        await work(deps, job, () => isStopping)
      }
    } catch (error) {
      // The lease runs out, and the next wake-up tries again.
      deps.log.error('device-jobs.error', { err: error })
    }
  })
  return {
    wake: () => loop.wake(),
    async stop() {
      isStopping = true
      await loop.stop()
    },
  }
}

async function work(deps: RunnerDeps, job: JobRow, isStopping: () => boolean): Promise<void> {
  for (;;) {
    const actor = await actorOf(deps.system, job)
    const ctx = deps.tenantContext(job.tenant_id, actor ?? { kind: 'system', name: 'device-jobs' })
    if (!(await renewLease(ctx.db, job.id, isStopping() ? 0 : LEASE_SECONDS))) {
      // It was stopped, and what was under way has ended since.
      tellPerson(ctx, job)
      return
    }
    if (isStopping()) return
    const items = await readWaiting(ctx.db, job.id, BATCH)
    const done = await actionOf(ctx, job)
    const may = actor !== undefined && done !== undefined && actorMay(actor, PERMISSIONS[done])
    if (items.length === 0 || !may) {
      await finish(ctx, job, items.length === 0 ? 'done' : 'stopped')
      return
    }
    const part = { ...ctx, job: job.id }
    for (let start = 0; start < items.length && (await isRunning(ctx.db, job.id)); start += AT_ONCE)
      await Promise.all(items.slice(start, start + AT_ONCE).map((item) => settle(deps, part, job, done, item)))
  }
}

type Undoable = Exclude<DeviceJobAction, 'undo'>

/** What a job does, or undoes; undefined when what it undoes is gone. */
async function actionOf({ db }: TenantContext, { action, undoes }: JobRow): Promise<Undoable | undefined> {
  if (action !== 'undo') return action
  const undone = undoes === null ? undefined : (await findJob(db, undoes))?.action
  return undone === 'undo' ? undefined : undone
}

async function settle(
  deps: RunnerDeps,
  ctx: TenantContext,
  job: JobRow,
  done: Undoable,
  item: WaitingItem,
): Promise<void> {
  try {
    await (job.action === 'undo'
      ? takeBack(ctx, done, item)
      : change(deps, ctx, { action: done, tags: job.tags }, item))
    await settleItem(ctx.db, job.id, item.device_uid)
  } catch (error) {
    // Whatever else happened is a failure of the server, which ends the pass.
    if (!(error instanceof BowlineError)) throw error
    await settleItem(ctx.db, job.id, item.device_uid, { code: error.code, message: error.message })
  }
}

/** @throws {BowlineError} what the single calls throw */
async function change(
  { removal }: RunnerDeps,
  ctx: TenantContext,
  { action, tags }: { readonly action: Undoable; readonly tags: readonly string[] },
  { device_uid: uid }: WaitingItem,
): Promise<void> {
  if (action === 'remove') return remove(ctx, uid, removal)
  const device = await getDevice(ctx, uid)
  switch (action) {
    case 'accept':
      // Anybody can claim a MAC address: whoever accepts the device has to compare keys, one by one.
      if (device.replaces) fail('DEVICE_REPLACES_ONE')
      return setStatus(ctx, uid, 'accept')
    case 'reject':
      return setStatus(ctx, uid, 'reject')
    case 'tag':
      if (tags.every((tag) => device.tags.includes(tag))) return
      return setTags(ctx, uid, [...new Set([...device.tags, ...tags])])
    case 'untag': {
      const left = device.tags.filter((tag) => !tags.includes(tag))
      if (left.length === device.tags.length) return
      return setTags(ctx, uid, left)
    }
  }
}

/** Undoes no more than the job has done: for the rest the person may lack the permission. */
async function takeBack(
  ctx: TenantContext,
  undone: Undoable,
  { device_uid: uid, status_before: statusBefore, tags_before: tagsBefore }: WaitingItem,
): Promise<void> {
  if (undone === 'accept') return undoAccept(ctx, uid)
  if (undone !== 'reject') return setTags(ctx, uid, tagsBefore)
  const { status } = await getDevice(ctx, uid)
  if (status === 'rejected' && statusBefore === 'pending') return setStatus(ctx, uid, 'pending')
}

/** The person of a job with their present role; undefined once they are gone, disabled or no member any more. */
async function actorOf(system: Kysely<Schema>, job: JobRow): Promise<UserActor | undefined> {
  const { user_id: id, tenant_id: tenant } = job
  const subject = await subjectIn(system, id, tenant)
  if (!subject?.role || subject.inDisabledNamespace) return undefined
  return {
    kind: 'user',
    id,
    tenant,
    username: subject.username,
    role: subject.role as Role,
    grants: subject.grants,
    family: undefined,
    login: undefined,
    expiresAt: Number.MAX_SAFE_INTEGER,
    isInstanceAdmin: false,
    inDisabledNamespace: false,
  }
}

/** Deletes reports of old jobs. */
export function forgetDeviceJobs(system: Kysely<Schema>, now: number): Promise<void> {
  return deleteEnded(system, new Date(now - LIMITS.deviceJobs.keptDays * 86_400_000))
}
