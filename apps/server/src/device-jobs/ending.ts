// Ends changes of many devices: the log gets how they ended, and the pages of the person hear of it.
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { type JobRow, endJob, findJob, readOutcome } from './store.ts'

/** Ends a job that nothing works on any more: the log gets its numbers. Without effect on one that has ended. */
export function finish(ctx: TenantContext, job: JobRow, state: 'done' | 'stopped'): Promise<void> {
  return end(ctx, job, state, async (db) => {
    const { done, failures } = await readOutcome(db, job.id)
    return { done, failed: failures.reduce((sum, { count }) => sum + count, 0) }
  })
}

/**
 * Ends a job for its person. Some devices may be under way, so that the log gets no numbers; each device has its entry.
 * Without effect on a job that has ended.
 */
export function interrupt(ctx: TenantContext, job: JobRow): Promise<void> {
  return end(ctx, job, 'stopped', () => Promise.resolve({}))
}

async function end(
  ctx: TenantContext,
  job: JobRow,
  state: 'done' | 'stopped',
  readNumbers: (db: TenantContext['db']) => Promise<{ readonly done?: number; readonly failed?: number }>,
): Promise<void> {
  const { action, tags, total } = job
  const hasEnded = await ctx.db.transaction().execute(async (db) => {
    if (!(await endJob(db, job.id, state))) return false
    const facts = { action, ...(await undoneBy(ctx, job)), tags, state, devices: total, ...(await readNumbers(db)) }
    await audit({ ...ctx, db }, 'device.bulk-end', job.id, facts)
    return true
  })
  if (hasEnded) tellPerson(ctx, job)
}

async function undoneBy({ db }: TenantContext, { undoes }: JobRow): Promise<{ readonly of?: string }> {
  const undone = undoes === null ? undefined : await findJob(db, undoes)
  return undone ? { of: undone.action } : {}
}

/** Their pages ask for the jobs again. */
export function tellPerson(ctx: TenantContext, { user_id: user }: JobRow): void {
  ctx.emit({ type: 'device-jobs.changed', user })
}
