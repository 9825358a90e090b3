// The customer of a namespace at the payment provider: what its owner does with it.
import { fail } from '@bowline/contract/errors'
import type { Customer, Subscription } from '@bowline/contract/schemas/billing'
import type { TenantContext } from '../context.ts'
import {
  beginChange,
  type BillingAccount,
  countAccepted,
  endChange,
  findAccount,
  findPayer,
  insertAccount,
  isClosed,
} from './accounts-store.ts'
import type { BillingDeps } from './deps.ts'
import { billDevices } from './devices.ts'
import { noProvider } from './provider/missing.ts'
import type { PaymentProvider } from './provider/provider.ts'
import { ACTIVE_STATUSES } from './standing.ts'
import { syncAccount } from './sync.ts'

/** Longer than a change takes, in milliseconds: what a crash left open ends then. */
const CHANGE_MS = 120_000
/** Calls within this time are the same call, in milliseconds. */
const SAME_CALL_MS = 10_000
const OWING = new Set(['past_due', 'unpaid'])

type Ctx = Pick<TenantContext, 'tenant'>

/**
 * @throws {BowlineError} CONFLICT when the namespace has a customer, DEPENDENCY_FAILED
 */
export async function createCustomer(deps: BillingDeps, { tenant }: Ctx): Promise<void> {
  const provider = deps.provider ?? noProvider()
  if (await findAccount(deps.system, tenant)) fail('CONFLICT', { field: 'customer' }, ['customer'])
  const payer = (await findPayer(deps.system, tenant)) ?? fail('NOT_FOUND', { what: 'The namespace' })
  // Calls at once make one customer. The provider repeats its answer to a key, failures too, so a key is not for good.
  const key = `customer:${tenant}:${Math.floor(deps.clock.now() / SAME_CALL_MS)}`
  const customer = await provider.createCustomer({ tenant, ...payer, key })
  if (!(await insertAccount(deps.system, tenant, customer, provider.live)))
    fail('CONFLICT', { field: 'customer' }, ['customer'])
}

/** @throws {BowlineError} NOT_FOUND without a customer, DEPENDENCY_FAILED */
export async function getCustomer(deps: BillingDeps, { tenant }: Ctx): Promise<Customer> {
  const { provider, account } = await requireAccount(deps, tenant)
  return provider.describeCustomer(account.customer_id)
}

/**
 * Attaches or detaches a payment method, or makes it the default one.
 * @throws {BowlineError} NOT_FOUND, CONFLICT while another change is under way, CARD_REFUSED, DEPENDENCY_FAILED
 */
export async function changeMethod(
  deps: BillingDeps,
  { tenant }: Ctx,
  change: 'attachMethod' | 'detachMethod' | 'setDefaultMethod',
  method: string,
): Promise<void> {
  const { provider, account } = await requireAccount(deps, tenant)
  await changing(deps, account, (key) => provider[change]({ customer: account.customer_id, method, key }))
}

/**
 * Subscribes the namespace for the devices it has.
 * @throws {BowlineError} NOT_FOUND without a customer, CONFLICT with a subscription, CARD_REFUSED, DEPENDENCY_FAILED
 */
export async function subscribe(deps: BillingDeps, { tenant }: Ctx): Promise<void> {
  const { provider, account } = await requireAccount(deps, tenant)
  await changing(deps, account, async (key) => {
    // One that we never heard of counts too.
    await syncAccount(deps, tenant)
    const now = await findAccount(deps.system, tenant)
    if (now && (ACTIVE_STATUSES.has(now.status) || now.status === 'unpaid' || now.status === 'paused')) {
      fail('CONFLICT', { field: 'subscription' }, ['subscription'])
    }
    const devices = await countAccepted(deps.system, tenant)
    await provider.subscribe({ customer: account.customer_id, devices, key })
  })
  if ((await syncAccount(deps, tenant)) && !(await isClosed(deps.system, tenant))) return
  // The namespace was deleted meanwhile, and nothing else would end what it pays.
  const orphan = (await provider.readCustomer(account.customer_id))?.subscription
  if (orphan) await provider.cancel({ subscription: orphan.id, key: `cancel:${orphan.id}` })
  fail('NOT_FOUND', { what: 'The namespace' })
}

/**
 * @throws {BowlineError} NOT_FOUND without a customer, SUBSCRIPTION_REQUIRED when it has never subscribed,
 *   DEPENDENCY_FAILED
 */
export async function getSubscription(deps: BillingDeps, { tenant }: Ctx): Promise<Subscription> {
  const { provider, account } = await requireAccount(deps, tenant)
  const customer = await provider.readCustomer(account.customer_id)
  if (!customer?.subscription) return fail('SUBSCRIPTION_REQUIRED')
  const { devices: _, ...subscription } = customer.subscription
  return subscription
}

/** Address of the provider's page for the customer, or of one of its forms. */
export async function openPortal(
  deps: BillingDeps,
  { tenant }: Ctx,
  flow: 'payment_method' | undefined,
): Promise<{ url: string }> {
  const { provider, account } = await requireAccount(deps, tenant)
  const returnTo = `${deps.origin()}/settings/billing`
  return { url: await provider.portal({ customer: account.customer_id, returnTo, flow }) }
}

/**
 * Takes a report of a billable action: bills the devices that are accepted now, or ends the subscription.
 * @throws {BowlineError} SUBSCRIPTION_REQUIRED without an active subscription, or with one that owes, NOT_FOUND,
 *   DEPENDENCY_FAILED
 */
export async function report(
  deps: BillingDeps,
  { tenant }: Ctx,
  action: 'device_accept' | 'namespace_delete',
): Promise<void> {
  const { provider, account } = await requireAccount(deps, tenant)
  const { subscription_id: subscription, status } = account
  if (subscription === null || !ACTIVE_STATUSES.has(status)) return fail('SUBSCRIPTION_REQUIRED')
  if (action === 'device_accept') return billDevices(deps, tenant)
  if (OWING.has(status)) fail('SUBSCRIPTION_REQUIRED')
  await changing(deps, account, (key) => provider.cancel({ subscription, key }))
  await syncAccount(deps, tenant)
}

/** Carries out one change at the provider at a time. */
async function changing(
  { system, clock }: BillingDeps,
  { tenant_id: tenant }: BillingAccount,
  change: (key: string) => Promise<void>,
): Promise<void> {
  const now = clock.now()
  const number = await beginChange(system, tenant, { now: new Date(now), until: new Date(now + CHANGE_MS) })
  if (number === undefined) return fail('CONFLICT', { field: 'billing' }, ['billing'])
  try {
    await change(`change:${tenant}:${number}`)
  } finally {
    await endChange(system, tenant, number)
  }
}

async function requireAccount(
  deps: BillingDeps,
  tenant: TenantContext['tenant'],
): Promise<{ provider: PaymentProvider; account: BillingAccount }> {
  const provider = deps.provider ?? noProvider()
  const account = (await findAccount(deps.system, tenant)) ?? fail('NOT_FOUND', { what: 'The customer' })
  return { provider, account }
}
