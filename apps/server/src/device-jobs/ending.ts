// Ends changes of many devices: the log gets how they ended, and the pages of the person hear of it.
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { type JobRow, endJob, findJob, readOutcome } from './store.ts'

/**
 * Ends a running job; without effect on one that has ended. Devices that are under way when somebody stops it are not
 * among the numbers in the log; their own entries are.
 */
export async function end(ctx: TenantContext, job: JobRow, state: 'done' | 'stopped'): Promise<void> {
  const { action, tags, total } = job
  const hasEnded = await ctx.db.transaction().execute(async (db) => {
    if (!(await endJob(db, job.id, state))) return false
    const { done, failures } = await readOutcome(db, job.id)
    const failed = failures.reduce((sum, { count }) => sum + count, 0)
    const facts = { action, ...(await undoneBy(ctx, job)), tags, state, devices: total, done, failed }
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
