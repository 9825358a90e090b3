// Bills the devices that are accepted. Acceptances and removals tell nothing to the provider themselves: the number of
// accepted devices is compared with the one that is billed, so that no report can be lost.
import { BackgroundLoop } from '@bowline/base/background-loop'
import type { TenantId } from '@bowline/contract/schemas/common'
import { countAccepted, findAccount, listMiscounted, storeBilledDevices } from './accounts-store.ts'
import type { BillingDeps } from './deps.ts'
import { noProvider } from './provider/missing.ts'
import { ACTIVE_STATUSES } from './standing.ts'

/** Namespaces in one page. */
const BATCH = 100
/** Between two looks, in milliseconds: other processes accept devices too. */
const INTERVAL_MS = 60_000

/**
 * Tells the provider how many devices a namespace has.
 * @throws {BowlineError} DEPENDENCY_FAILED
 */
export async function billDevices(deps: BillingDeps, tenant: TenantId): Promise<void> {
  const provider = deps.provider ?? noProvider()
  const account = await findAccount(deps.system, tenant)
  if (!account?.subscription_id || !ACTIVE_STATUSES.has(account.status)) return
  const devices = await countAccepted(deps.system, tenant)
  if (devices === account.billed_devices) return
  const { customer_id: customer, subscription_id: subscription } = account
  const key = `devices:${subscription}:${devices}:${deps.clock.now()}`
  await provider.setDevices({ customer, subscription, devices, key })
  await storeBilledDevices(deps.system, tenant, devices)
}

export interface DeviceBilling {
  /** Looks for namespaces whose number has changed. */
  wake(): void
  stop(): Promise<void>
}

/** Starts to bill devices. A failure of the provider is logged; the next look tries again. */
export function startDeviceBilling(deps: BillingDeps): DeviceBilling {
  const { system, clock, log } = deps
  const stopping = new AbortController()
  const loop = new BackgroundLoop(async () => {
    try {
      // All of them, so that some that fail keep nobody waiting.
      for (let after: TenantId | undefined; !stopping.signal.aborted;) {
        const page = await listMiscounted(system, [...ACTIVE_STATUSES], after, BATCH)
        for (const tenant of page) {
          if (stopping.signal.aborted) return
          await billDevices(deps, tenant).catch((error: unknown) => log.warn('billing.error', { tenant, err: error }))
        }
        after = page.at(-1)
        if (after === undefined) return
      }
    } catch (error) {
      log.error('billing.error', { err: error })
    }
  })
  const cancel = clock.every(INTERVAL_MS, () => loop.wake())
  loop.wake()
  return {
    wake: () => loop.wake(),
    async stop() {
      stopping.abort()
      cancel()
      await loop.stop()
    },
  }
}
