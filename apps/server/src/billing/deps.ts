// Dependencies of billing's use cases.
import type { Clock } from '@bowline/base/clock'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { Log } from '../platform/log.ts'
import type { PaymentProvider } from './provider/provider.ts'

export interface BillingDeps {
  readonly system: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  /** Undefined: the server has none. */
  readonly provider: PaymentProvider | undefined
  /** Address of the console, to return to. */
  readonly origin: () => string
  /** Context of the platform itself in a namespace. */
  readonly contextOf: (tenant: TenantId) => TenantContext
}
