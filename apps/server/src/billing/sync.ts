// Brings what we know of a namespace's subscription up to date. The provider is read anew whatever the occasion, so
// events may come late, twice, in any order, or never.
import { LIMITS } from '@bowline/contract/limits'
import type { TenantId } from '@bowline/contract/schemas/common'
import { audit } from '../audit/service.ts'
import {
  type AccountState,
  type BillingAccount,
  beginRead,
  endWhileClosed,
  findAccount,
  lockAccount,
  storePlan,
  storeState,
} from './accounts-store.ts'
import { showClosed } from '../db/show-closed.ts'
import type { BillingDeps } from './deps.ts'
import type { ProviderCustomer, ProviderSubscription } from './provider/provider.ts'
import { ACTIVE_STATUSES, GRACE_MS, UNLIMITED } from './standing.ts'
import { noProvider } from './provider/missing.ts'

/** A field in which our row differed from the provider. */
export interface Difference {
  readonly field: 'subscription' | 'status' | 'end' | 'devices'
  readonly ours: string
  readonly theirs: string
}

/**
 * Reads the provider and stores what it says. Devices are counted apart.
 * @returns what was different; undefined without an account
 * @throws {BowlineError} DEPENDENCY_FAILED
 */
export async function syncAccount(deps: BillingDeps, tenant: TenantId): Promise<Difference[] | undefined> {
  const provider = deps.provider ?? noProvider()
  const read = await beginRead(deps.system, tenant)
  const account = read === undefined ? undefined : await findAccount(deps.system, tenant)
  if (read === undefined || !account) return undefined
  return store(deps, tenant, read, await provider.readCustomer(account.customer_id))
}

async function store(
  { system, clock, contextOf }: BillingDeps,
  tenant: TenantId,
  read: number,
  customer: ProviderCustomer | undefined,
): Promise<Difference[]> {
  const changed = await system.transaction().execute(async (db) => {
    // The subscription of a deleted namespace ends meanwhile: it must not come back with one.
    await showClosed(db)
    const old = await lockAccount(db, tenant)
    // A read that began later has stored its answer: this one is older.
    if (!old || old.newest_read > read) return []
    const state = stateOf(customer, old, clock.now())
    await storeState(db, tenant, read, state)
    // One that appeared after the closing: whoever began it has died before they could end it.
    await endWhileClosed(db, tenant)
    const isActive = ACTIVE_STATUSES.has(state.status)
    await storePlan(db, tenant, {
      billing: {
        active: isActive,
        status: state.status,
        customer_id: old.customer_id,
        subscription_id: state.subscription_id ?? '',
        current_period_end: state.end_at?.toISOString() ?? null,
      },
      // Without a subscription the limit may be one of the operator's.
      max_devices: isActive ? UNLIMITED : ACTIVE_STATUSES.has(old.status) ? LIMITS.maxDevices : undefined,
    })
    const differences = compare(old, state)
    if (old.status !== state.status) {
      const ctx = { ...contextOf(tenant), db }
      await audit(ctx, 'billing.update', '', { before: { status: old.status }, after: { status: state.status } })
    }
    return differences
  })
  if (changed.some(({ field }) => field === 'status')) contextOf(tenant).emit({ type: 'policy.changed' })
  return changed
}

function stateOf(customer: ProviderCustomer | undefined, old: BillingAccount, now: number): AccountState {
  const subscription = customer?.subscription
  const status = subscription?.status ?? 'inactive'
  const isActive = ACTIVE_STATUSES.has(status)
  const ends = ACTIVE_STATUSES.has(old.status) && !isActive
  return {
    subscription_id: subscription?.id ?? null,
    live: customer?.live ?? old.live,
    status,
    end_at: subscription ? new Date(subscription.end_at * 1_000) : null,
    grace_until: isActive ? null : ends ? new Date(now + GRACE_MS) : old.grace_until,
    billed_devices: subscription ? (subscription.devices ?? sentTo(subscription, old)) : null,
  }
}

/** A meter tells no number and begins anew in each period: what was sent in this one counts. */
function sentTo({ id, end_at: end }: ProviderSubscription, old: BillingAccount): number | null {
  return id === old.subscription_id && end * 1_000 === old.end_at?.getTime() ? old.billed_devices : null
}

function compare(old: BillingAccount, state: AccountState): Difference[] {
  const rows: [Difference['field'], string | number | null | undefined, string | number | null | undefined][] = [
    ['subscription', old.subscription_id, state.subscription_id],
    ['status', old.status, state.status],
    ['end', old.end_at?.toISOString(), state.end_at?.toISOString()],
    ['devices', old.billed_devices, state.billed_devices],
  ]
  return rows
    .map(([field, ours, theirs]) => ({ field, ours: String(ours ?? ''), theirs: String(theirs ?? '') }))
    .filter(({ ours, theirs }) => ours !== theirs)
}
