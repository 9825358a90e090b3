// Compares every account with the provider and repairs ours. What differed is kept: each is an event that was lost, or a
// defect.
import type { BillingDeps } from './deps.ts'
import { TenantId } from '@bowline/contract/schemas/common'
import { insertAccount, listAccounts } from './accounts-store.ts'
import {
  type FoundDifference,
  abandonDay,
  beginDay,
  endDay,
  forgetDifferences,
  insertDifferences,
} from './differences-store.ts'
import { requireSameMode } from './mode.ts'
import { noProvider } from './provider/missing.ts'
import { syncAccount } from './sync.ts'

const PAGE = 100
/** Differences are kept for this long, in milliseconds. */
/** No comparison takes longer. */
const LONGEST_MS = 6 * 3_600_000
const KEPT_MS = 365 * 86_400_000

export interface Reconciliation {
  readonly accounts: number
  readonly differences: readonly FoundDifference[]
  /** Accounts that could not be compared, with the reason. */
  readonly failures: readonly { readonly tenant_id: string; readonly message: string }[]
}

/**
 * Runs a reconciliation.
 * @throws {BowlineError} DEPENDENCY_FAILED when the provider cannot list its customers
 * @throws {ConfigError} when the key is one of the other mode
 */
export async function reconcile(deps: BillingDeps): Promise<Reconciliation> {
  const provider = deps.provider ?? noProvider()
  const { system, clock, log } = deps
  await requireSameMode(system, provider)
  const differences: FoundDifference[] = []
  const failures: { tenant_id: string; message: string }[] = []
  const seen = new Set<string>()
  let after = ''
  for (;;) {
    const page = await listAccounts(system, after, PAGE)
    for (const { tenant_id, customer_id } of page) {
      seen.add(customer_id)
      try {
        const found = (await syncAccount(deps, tenant_id)) ?? []
        differences.push(...found.map((one) => ({ namespace_id: tenant_id, customer_id, ...one })))
      } catch (error) {
        failures.push({ tenant_id, message: error instanceof Error ? error.message : 'unknown' })
      }
    }
    const last = page.at(-1)
    if (!last) break
    after = last.customer_id
  }
  for await (const { id: customer_id, tenant, subscription, live } of provider.eachCustomer()) {
    if (seen.has(customer_id)) continue
    const theirs = subscription?.status ?? 'inactive'
    const tenantId = TenantId.safeParse(tenant).data
    // A crash between the provider's answer and our row leaves a customer that is ours.
    const adopted = tenantId !== undefined && (await insertAccount(system, tenantId, customer_id, live))
    if (adopted) await syncAccount(deps, tenantId)
    if (adopted || subscription?.active) {
      differences.push({ namespace_id: adopted ? tenant : '', customer_id, field: 'customer', ours: '', theirs })
    }
  }
  const now = clock.now()
  await insertDifferences(system, differences, new Date(now))
  await forgetDifferences(system, new Date(now - KEPT_MS))
  for (const one of differences) log.warn('billing.difference', { ...one })
  for (const one of failures) log.warn('billing.error', { tenant: one.tenant_id, reason: one.message })
  return { accounts: seen.size, differences, failures }
}

/** Runs the reconciliation of the day if no process has. */
export async function reconcileDaily(deps: BillingDeps): Promise<void> {
  if (!deps.provider) return
  const now = deps.clock.now()
  const day = new Date(now).toISOString().slice(0, 10)
  if (!(await beginDay(deps.system, day, new Date(now), new Date(now - LONGEST_MS)))) return
  const { accounts, differences, failures } = await reconcile(deps).catch(async (error: unknown) => {
    // The next turn tries again.
    await abandonDay(deps.system, day)
    throw error
  })
  const counts = { accounts, differences: differences.length, failures: failures.length }
  await endDay(deps.system, day, { ended_at: new Date(deps.clock.now()), ...counts })
  deps.log.info('billing.reconciled', counts)
}
