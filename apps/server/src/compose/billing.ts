// Billing with its payment provider, where the settings name one.
import type { Clock } from '@bowline/base/clock'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { BillingDeps } from '../billing/deps.ts'
import { startDeviceBilling } from '../billing/devices.ts'
import { startEvents } from '../billing/events/worker.ts'
import { requireSameMode } from '../billing/mode.ts'
import type { PaymentProvider } from '../billing/provider/provider.ts'
import type { StripeSettings } from '../billing/provider/stripe.ts'
import type { ServerConfig } from '../config.ts'
import type { Actor, TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { Log } from '../platform/log.ts'

export interface Billing {
  readonly deps: BillingDeps
  /** An event of the provider has been stored. */
  stored(): void
  /** @throws {ConfigError} when the key of the provider is of the other mode than the customers of namespaces */
  check(): Promise<void>
  /** Starts to apply events and to bill devices; without a provider there is nothing to do. */
  start(onEnd: (ending: () => Promise<void>) => void): void
}

/** The provider; its library, of two hundred modules, is loaded where the settings name it. */
async function providerOf(settings: StripeSettings | undefined): Promise<PaymentProvider | undefined> {
  if (!settings) return undefined
  const { createStripe } = await import('../billing/provider/stripe.ts')
  return createStripe(settings)
}

export async function composeBilling(
  { stripe }: Pick<ServerConfig, 'stripe'>,
  parts: { readonly system: Kysely<Schema>; readonly clock: Clock; readonly log: Log },
  origin: () => string,
  tenantContext: (tenant: TenantId, actor: Actor) => TenantContext,
): Promise<Billing> {
  const deps: BillingDeps = {
    ...parts,
    provider: await providerOf(stripe),
    origin,
    contextOf: (tenant) => tenantContext(tenant, { kind: 'system', name: 'billing' }),
  }
  let wake = (): void => undefined
  return {
    deps,
    stored: () => wake(),
    async check() {
      if (deps.provider) await requireSameMode(deps.system, deps.provider)
    },
    start(onEnd) {
      if (!deps.provider) return
      const devices = startDeviceBilling(deps)
      const events = startEvents(deps, () => devices.wake())
      wake = () => events.wake()
      onEnd(() => devices.stop())
      onEnd(() => events.stop())
    },
  }
}
