// What the server does every now and then: forgets what has expired and adds up counts.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { type AuthDeps, forgetExpired } from './auth/service.ts'
import type { TenantContext } from './context.ts'
import { foldCounts } from './db/row-counts.ts'
import type { Schema } from './db/schema.ts'
import { removeStalePending } from './devices/pending.ts'
import type { Clock } from './platform/clock.ts'
import type { Log } from './platform/log.ts'
import type { Recordings } from './recordings/recordings.ts'
import { removeExpired } from './recordings/retention.ts'

const CLEAN_UP_INTERVAL_MS = 600_000
/** A thousand new sessions a second leave lists some thousands of differences to add up. */
const FOLD_INTERVAL_MS = 10_000

export interface JobDeps {
  readonly clock: Clock
  readonly log: Log
  /** Connection to every namespace. */
  readonly system: Kysely<Schema>
  readonly auth: AuthDeps
  readonly recordings: Recordings
  /** The platform's own context in a namespace. */
  readonly contextOf: (tenant: TenantId) => TenantContext
}

/** Starts the jobs; they end with the server. */
export function startJobs(
  { clock, log, system, auth, recordings, contextOf }: JobDeps,
  onEnd: (ending: () => Promise<void>) => void,
): void {
  const stopCleaning = clock.every(CLEAN_UP_INTERVAL_MS, () => {
    removeStalePending(system, contextOf, clock.now()).catch((error: unknown) =>
      log.error('jobs.error', { err: error }),
    )
    forgetExpired(auth).catch((error: unknown) => log.error('jobs.error', { err: error }))
    removeExpired(system, recordings, contextOf, new Date(clock.now()))
      .then(() => recordings.removeOrphans(system))
      .catch((error: unknown) => log.error('jobs.error', { err: error }))
  })
  onEnd(() => Promise.resolve(stopCleaning()))
  const stopFolding = clock.every(FOLD_INTERVAL_MS, () => {
    foldCounts(system).catch((error: unknown) => log.error('jobs.error', { err: error }))
  })
  onEnd(() => Promise.resolve(stopFolding()))
}
