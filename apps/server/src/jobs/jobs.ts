// Periodic jobs of the server: delete expired rows, fold counts, end sessions of removed members.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Clock } from '@bowline/base/clock'
import { type AuthDeps, forgetExpired } from '../auth/service.ts'
import type { ServerConfig } from '../config.ts'
import type { Actor, TenantContext } from '../context.ts'
import { foldCounts } from '../db/lists/row-counts.ts'
import type { Schema } from '../db/schema.ts'
import { removeStalePending } from '../devices/pending.ts'
import type { LiveLogins } from '../gateway/login/live-logins.ts'
import type { Log } from '../platform/log.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { removeExpired } from '../recordings/retention.ts'
import { sweepFailedLogins } from '../sessions/failed-logins.ts'

export interface JobsDeps {
  readonly auth: AuthDeps
  readonly system: Kysely<Schema>
  readonly recordings: Recordings
  readonly live: Pick<LiveLogins, 'reviewLeavers'>
  readonly clock: Clock
  readonly log: Log
  readonly settings: Pick<ServerConfig['settings'], 'BOWLINE_FAILED_LOGIN_DAYS'>
  readonly tenantContext: (tenant: TenantId, actor: Actor) => TenantContext
}

/** Actor that deletes rows after their retention. */
const JANITOR = { kind: 'system', name: 'retention' } as const
const CLEAN_UP_INTERVAL_MS = 600_000
/** At a thousand new sessions per second a list has some thousands of differences to sum. */
const FOLD_INTERVAL_MS = 10_000
/** Maximum delay until sessions end when another process has removed their user. */
const LEAVERS_INTERVAL_MS = 2_000

/** Starts the jobs. A failure is logged; the next run retries. */
export function startJobs(deps: JobsDeps, onEnd: (ending: () => Promise<void>) => void): void {
  const { auth, system, recordings, live, clock, log, settings } = deps
  const contextOf = (tenant: TenantId): TenantContext => deps.tenantContext(tenant, JANITOR)
  const every = (intervalMs: number, ...jobs: readonly (() => Promise<void>)[]): void => {
    const stop = clock.every(intervalMs, () => {
      for (const job of jobs) job().catch((error: unknown) => log.error('jobs.error', { err: error }))
    })
    onEnd(() => Promise.resolve(stop()))
  }
  every(
    CLEAN_UP_INTERVAL_MS,
    () => removeStalePending(system, contextOf, clock.now()),
    () => forgetExpired(auth),
    () => sweepFailedLogins(system, contextOf, clock.now(), settings.BOWLINE_FAILED_LOGIN_DAYS),
    async () => {
      await removeExpired(system, recordings, contextOf, new Date(clock.now()))
      await recordings.removeOrphans(system)
    },
  )
  every(FOLD_INTERVAL_MS, () => foldCounts(system))
  every(LEAVERS_INTERVAL_MS, () => live.reviewLeavers())
}
