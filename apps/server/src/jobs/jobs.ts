// Periodic jobs of the server: delete expired rows, fold counts, end sessions of removed members.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Clock } from '@bowline/base/clock'
import { sweepAccess } from '../access-requests/ending.ts'
import { advanceRollouts } from '../agent-updates/progress.ts'
import type { Available } from '../agent-updates/service.ts'
import { forgetExpired } from '../auth/expiry.ts'
import type { AuthDeps } from '../auth/service.ts'
import type { BillingDeps } from '../billing/deps.ts'
import { reconcileDaily } from '../billing/reconcile.ts'
import type { ServerConfig } from '../config.ts'
import type { Actor, TenantContext } from '../context.ts'
import { foldCounts } from '../db/lists/row-counts.ts'
import type { Schema } from '../db/schema.ts'
import { forgetExpiredFactors } from '../mfa/service.ts'
import { forgetHealth } from '../device-health/retention.ts'
import { forgetDeviceJobs } from '../device-jobs/runner.ts'
import { removeStalePending } from '../devices/pending.ts'
import type { LiveLogins } from '../gateway/login/live-logins.ts'
import { forgetChallenges } from '../passkeys/service.ts'
import { forgetHeldLogins } from '../held-logins/service.ts'
import type { Log } from '../platform/log.ts'
import { forgetInvitations } from '../members/invitations.ts'
import type { MailRequests } from '../registration/mail-requests.ts'
import { forgetRegistrations } from '../registration/expiry.ts'
import { forgetPairings } from '../pairing/service.ts'
import { closedTenants, purgeDue } from '../namespaces/closing.ts'
import { forgetPresence } from '../presence/retention.ts'
import { recordingRemoval } from '../recordings/removal.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { removeExpired } from '../recordings/retention.ts'
import { type RunOnce } from '../nodes/once.ts'
import { sweepFailedLogins } from '../sessions/failed-logins.ts'
import type { SingleSignOnDeps } from '../single-sign-on/deps.ts'
import { forgetTickets } from '../terminals/shared-tickets.ts'
import { warnOfCertificates } from '../single-sign-on/certificates.ts'
import { refreshMetadata } from '../single-sign-on/provider-settings.ts'
import { forgetExpiredSignOns } from '../single-sign-on/settings.ts'

export interface JobsDeps {
  /** Runs a job at one node of several. */
  readonly once: RunOnce
  readonly auth: AuthDeps
  readonly agentRelease: () => Promise<Available>
  readonly mailRequests: Pick<MailRequests, 'wake'>
  readonly deviceJobs: { wake(): void }
  readonly tagRules: { wake(): void }
  readonly alerts: {
    wake(): void
    evaluate(): Promise<void>
    evaluateThresholds(): Promise<void>
    forget(): Promise<void>
    readonly streams: { wake(): void }
  }
  readonly singleSignOn: SingleSignOnDeps
  readonly billing: BillingDeps
  readonly system: Kysely<Schema>
  readonly recordings: Recordings
  readonly live: Pick<LiveLogins, 'reviewLeavers'>
  /** Ends what runs in deleted namespaces. */
  readonly endNamespaces: (tenants: ReadonlySet<TenantId>) => void
  readonly clock: Clock
  readonly log: Log
  readonly settings: Pick<ServerConfig['settings'], 'BOWLINE_FAILED_LOGIN_DAYS'>
  readonly tenantContext: (tenant: TenantId, actor: Actor) => TenantContext
}

/** Actor that deletes rows after their retention. */
const JANITOR = { kind: 'system', name: 'retention' } as const
/** Actor that takes rollouts of agents from stage to stage. */
const UPDATER = { kind: 'system', name: 'agent updates' } as const
const CLEAN_UP_INTERVAL_MS = 600_000
/** At a thousand new sessions per second a list has some thousands of differences to sum. */
const FOLD_INTERVAL_MS = 10_000
/** Between evaluations of alert rules. */
const ALERTS_INTERVAL_MS = 15_000
/** Devices report every five minutes at most. */
const THRESHOLDS_INTERVAL_MS = 60_000
/** Lives of leases: two intervals. */
const LEASE_SECONDS = (2 * CLEAN_UP_INTERVAL_MS) / 1_000
const ROLLOUT_INTERVAL_MS = 30_000
const ROLLOUT_LEASE_SECONDS = (2 * ROLLOUT_INTERVAL_MS) / 1_000
const FOLD_LEASE_SECONDS = (2 * FOLD_INTERVAL_MS) / 1_000
const THRESHOLDS_LEASE_SECONDS = (2 * THRESHOLDS_INTERVAL_MS) / 1_000
const ALERTS_LEASE_SECONDS = (2 * ALERTS_INTERVAL_MS) / 1_000
/** Maximum delay until sessions end when another process has removed their user. */
const LEAVERS_INTERVAL_MS = 2_000

/** Starts the jobs. A failure is logged; the next run retries. */
export function startJobs(deps: JobsDeps, onEnd: (ending: () => Promise<void>) => void): void {
  const { once, auth, singleSignOn, system, recordings, live, clock, log, settings } = deps
  const contextOf = (tenant: TenantId): TenantContext => deps.tenantContext(tenant, JANITOR)
  const run = (job: () => Promise<void>): void => {
    job().catch((error: unknown) => log.error('jobs.error', { err: error }))
  }
  const every = (intervalMs: number, ...jobs: readonly (() => Promise<void>)[]): void => {
    const stop = clock.every(intervalMs, () => {
      for (const job of jobs) run(job)
    })
    onEnd(() => Promise.resolve(stop()))
  }
  const shared: readonly (() => Promise<void>)[] = [
    () => removeStalePending(system, contextOf, clock.now()),
    () => forgetExpired(auth),
    () => forgetPairings(auth),
    () => forgetRegistrations(auth),
    () => forgetInvitations(system, clock, contextOf),
    () => forgetExpiredFactors(auth),
    () => forgetHeldLogins(system, clock.now()),
    () => forgetChallenges(system, clock.now()),
    () => sweepAccess(system, contextOf, clock.now()),
    () => forgetExpiredSignOns(system, clock.now()),
    () => refreshMetadata(singleSignOn),
    () => warnOfCertificates(singleSignOn),
    () => reconcileDaily(deps.billing),
    () => sweepFailedLogins(system, contextOf, clock.now(), settings.BOWLINE_FAILED_LOGIN_DAYS),
    async () => {
      const removal = recordingRemoval(recordings.ledger)
      const count = await purgeDue({ system, clock, contextOf, removal })
      if (count > 0) log.info('namespaces.purged', { count })
    },
    () => forgetTickets(system),
    () => forgetPresence(system, clock.now()),
    () => forgetHealth(system, clock.now()),
    () => deps.alerts.forget(),
    () => forgetDeviceJobs(system, clock.now()),
    () => removeExpired(system, recordings, contextOf, new Date(clock.now())),
  ]
  every(
    CLEAN_UP_INTERVAL_MS,
    () => once('clean-up', LEASE_SECONDS, async () => shared.forEach(run)),
    // Of this node: its queue, its folder.
    async () => deps.mailRequests.wake(),
    () => recordings.removeOrphans(system),
  )
  every(ROLLOUT_INTERVAL_MS, () =>
    once('agent-updates', ROLLOUT_LEASE_SECONDS, () =>
      advanceRollouts({
        system,
        contextOf: (tenant) => deps.tenantContext(tenant, UPDATER),
        available: deps.agentRelease,
        log,
      }),
    ),
  )
  every(FOLD_INTERVAL_MS, () => once('fold', FOLD_LEASE_SECONDS, () => foldCounts(system)))
  every(
    ALERTS_INTERVAL_MS,
    alone(() => once('alerts', ALERTS_LEASE_SECONDS, () => deps.alerts.evaluate())),
  )
  every(
    THRESHOLDS_INTERVAL_MS,
    alone(() => once('alert-thresholds', THRESHOLDS_LEASE_SECONDS, () => deps.alerts.evaluateThresholds())),
  )
  every(
    LEAVERS_INTERVAL_MS,
    () => live.reviewLeavers(),
    // Another node may have stopped in the middle of one.
    async () => deps.deviceJobs.wake(),
    // Devices have changed, at whichever node.
    async () => deps.tagRules.wake(),
    async () => deps.alerts.wake(),
    async () => deps.alerts.streams.wake(),
    // Another process may have deleted the namespace.
    alone(async () => deps.endNamespaces(await closedTenants(system))),
  )
}

/** A job whose turn passes while an earlier one is still under way. */
function alone(job: () => Promise<void>): () => Promise<void> {
  let isRunning = false
  return async () => {
    if (isRunning) return
    isRunning = true
    await job().finally(() => (isRunning = false))
  }
}
