// Dependencies of alert rules.
import type { RateLimiter } from '@bowline/base/rate-limiter'
import type { Clock } from '@bowline/base/clock'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { MailQueue } from '../mails/queue.ts'
import type { Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { EgressRules } from '../platform/network/egress.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'

export interface AlertDeps {
  /** System connection: accounts, and rules of all namespaces. */
  readonly system: Kysely<Schema>
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly secretKey: SecretKey
  readonly egress: EgressRules
  readonly mails: Pick<MailQueue, 'add' | 'link' | 'isSending'>
  /** The platform's own context in a namespace. */
  readonly contextOf: (tenant: TenantId) => TenantContext
  /** Sends what is due. */
  readonly wake: () => void
}

export interface RouteDeps extends AlertDeps {
  /** Name of an open namespace. */
  readonly nameOf: (tenant: TenantId) => Promise<string | undefined>
  /** Limits test messages per namespace. */
  readonly tests: RateLimiter
}

/** Names under which a rule's secrets are sealed. */
export const sealNames = {
  url: (rule: string): string => `alert-url:${rule}`,
  secret: (rule: string): string => `alert-secret:${rule}`,
} as const
