// Queries for billing, and the way to the provider's pages.
import { ApiError } from '@bowline/contract/client'
import { billing } from '@bowline/contract/operations/billing'
import type { Customer, Subscription } from '@bowline/contract/schemas/billing'
import type { Device } from '@bowline/contract/schemas/device'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'
import { keys } from '../../live/apply-events.ts'
import { billingMessages as texts } from './messages.ts'

/** State of the plan and its limits, for any member. */
export function standingQuery(api: Api) {
  return queryOptions({
    queryKey: [...keys.billing, 'standing'],
    queryFn: async ({ signal }) => (await api.call(billing.standing, { signal })).body,
  })
}

/** The customer at the provider, null before there is one; owners only. */
export function customerQuery(api: Api) {
  return queryOptions({
    queryKey: [...keys.billing, 'customer'],
    queryFn: ({ signal }): Promise<Customer | null> =>
      unless([404], async () => (await api.call(billing.getCustomer, { signal })).body),
  })
}

/** The subscription, null before the first one; owners only. */
export function subscriptionQuery(api: Api) {
  return queryOptions({
    queryKey: [...keys.billing, 'subscription'],
    queryFn: ({ signal }): Promise<Subscription | null> =>
      unless([402, 404], async () => (await api.call(billing.getSubscription, { signal })).body),
  })
}

export function mostUsedQuery(api: Api) {
  return queryOptions({
    queryKey: [...keys.billing, 'most-used'],
    queryFn: async ({ signal }): Promise<readonly Device[]> =>
      (await api.call(billing.mostUsedDevices, { signal })).body,
  })
}

async function unless<T>(statuses: readonly number[], ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ApiError && statuses.includes(error.status)) return null
    throw error
  }
}

/** Goes to the provider's page of the customer, or to its form for a card. Makes the customer where there is none. */
export async function leaveForProvider(api: Api, flow?: 'payment_method'): Promise<void> {
  const customer = await unless([404], async () => (await api.call(billing.getCustomer, {})).body)
  // 409: made in another tab.
  if (!customer) await unless([409], () => api.call(billing.createCustomer, {}))
  const { body } = await api.call(billing.portal, { query: flow ? { flow } : {} })
  const { href, protocol } = new URL(body.url)
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError(texts.portalFailed)
  location.assign(href)
}
