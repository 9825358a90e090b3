// Alert rules: their evaluation by one node, and the sender of each node.
import { RateLimiter } from '@bowline/base/rate-limiter'
import type { Clock } from '@bowline/base/clock'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { AlertDeps, RouteDeps } from '../alerts/deps.ts'
import { deleteOldDeliveries } from '../alerts/delivery-store.ts'
import { createAlertEvaluator } from '../alerts/evaluation.ts'
import { evaluateThresholds } from '../alerts/thresholds.ts'
import { type AlertCounts, createAlertSender } from '../alerts/sending.ts'
import { type StreamSender, createStreamSender } from '../audit-streams/sending.ts'
import type { StreamRouteDeps } from '../audit-streams/service.ts'
import type { ServerConfig } from '../config.ts'
import type { Actor, TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { MailQueue } from '../mails/queue.ts'
import { getNamespaceLimits } from '../namespaces/service.ts'
import type { Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { egressRules } from './budgets.ts'

/** Test messages per second and namespace. */
const TESTS = { perSecond: 0.1, burst: 10 }
/** Changes that have an audit stream sent at once: each is a request to an address that somebody types, as a test is. */
const RETRIES = { perSecond: 0.1, burst: 30 }

export interface Alerts {
  readonly deps: RouteDeps
  readonly counts: AlertCounts
  /** Sends the streams of audit logs, by the same egress rules. */
  readonly streams: Pick<StreamSender, 'wake'>
  readonly streamDeps: StreamRouteDeps
  /** Sends what is due. */
  wake(): void
  /** One pass over all rules. */
  evaluate(): Promise<void>
  /** One pass over the rules about health. */
  evaluateThresholds(): Promise<void>
  /** Deletes old messages. */
  forget(): Promise<void>
  stop(): Promise<void>
}

export function composeAlerts(parts: {
  readonly config: ServerConfig
  readonly system: Kysely<Schema>
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly mails: MailQueue
  readonly tenantContext: (tenant: TenantId, actor: Actor) => TenantContext
}): Alerts {
  const { config, system, clock, ids, log, mails, tenantContext } = parts
  const contextOf = (tenant: TenantId): TenantContext => tenantContext(tenant, { kind: 'system', name: 'alerts' })
  const egress = egressRules(config.settings, log)
  const common = { system, clock, ids, log, secretKey: config.secretKey, egress, mails, contextOf }
  const sender = createAlertSender(common)
  const byStreams: Actor = { kind: 'system', name: 'audit streams' }
  const streams = createStreamSender({ ...common, contextOf: (tenant) => tenantContext(tenant, byStreams) })
  const deps: AlertDeps = { ...common, wake: () => sender.wake() }
  const evaluator = createAlertEvaluator(deps)
  return {
    deps: {
      ...deps,
      tests: new RateLimiter(clock, TESTS),
      nameOf: async (tenant) => (await getNamespaceLimits(system, tenant))?.name,
    },
    counts: sender.counts,
    streams,
    streamDeps: {
      ...common,
      wake: () => streams.wake(),
      tests: new RateLimiter(clock, TESTS),
      retries: new RateLimiter(clock, RETRIES),
    },
    wake: () => sender.wake(),
    evaluate: () => evaluator.evaluate(),
    evaluateThresholds: () => evaluateThresholds(deps),
    forget: () => deleteOldDeliveries(system),
    stop: async () => {
      await Promise.all([sender.stop(), streams.stop()])
    },
  }
}
