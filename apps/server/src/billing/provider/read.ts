// Stripe's objects in the contract's terms.
import {
  BILLING_INTERVALS,
  CURRENCIES,
  type Customer,
  type DevicePrice,
  INVOICE_STATUSES,
  SUBSCRIPTION_STATUSES,
  type SubscriptionStatus,
} from '@bowline/contract/schemas/billing'
import { fail } from '@bowline/contract/errors'
import type Stripe from 'stripe'
import { z } from 'zod'
import { ACTIVE_STATUSES } from '../standing.ts'
import type { ProviderEvent, ProviderSubscription } from './provider.ts'

/** An event with the object that it is about; others name it only, and come from destinations of another API. */
const Snapshot = z.object({
  id: z.string(),
  type: z.string(),
  /** Seconds since the epoch. */
  created: z.number().int(),
  data: z.object({
    object: z.object({
      object: z.string().optional(),
      id: z.string().optional(),
      customer: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
    }),
  }),
})

/** Id behind a reference of Stripe, which is the object itself where it was expanded. */
export function idOf(named: string | { readonly id: string } | null | undefined): string {
  return typeof named === 'string' ? named : (named?.id ?? '')
}

/** @throws {BowlineError} INVALID_INPUT for an event without the object that it is about */
export function readSnapshot(event: unknown): ProviderEvent {
  const read = Snapshot.safeParse(event)
  if (!read.success) {
    const rule = 'must be an event with a snapshot of its object; choose this payload style for the webhook at Stripe'
    return fail('INVALID_INPUT', { field: 'body', rule })
  }
  const { id, type, created, data } = read.data
  const customer = data.object.object === 'customer' ? (data.object.id ?? '') : idOf(data.object.customer)
  return { id, type, createdAt: new Date(created * 1_000), customer }
}

/** @param invoices its newest invoices, the newest first */
export function readSubscription(
  subscription: Stripe.Subscription,
  invoices: readonly Stripe.Invoice[],
): ProviderSubscription {
  const status = statusOf(subscription)
  const [item] = subscription.items.data
  return {
    id: subscription.id,
    active: ACTIVE_STATUSES.has(status),
    status,
    end_at: item?.current_period_end ?? 0,
    devices: item?.price.recurring?.usage_type === 'metered' ? undefined : item?.quantity,
    invoices: invoices.flatMap(({ id, status: state, currency, total: amount, created, hosted_invoice_url: url }) => {
      const known = INVOICE_STATUSES.find((one) => one === (state === 'void' ? 'voided' : state))
      const money = CURRENCIES.find((one) => one === currency)
      return known && money && id ? [{ id, status: known, currency: money, amount, created, url: url ?? '' }] : []
    }),
  }
}

function statusOf({ status, cancel_at_period_end: cancels }: Stripe.Subscription): SubscriptionStatus {
  if (cancels && (status === 'active' || status === 'trialing')) return 'to_cancel_at_end_of_period'
  // A status that Stripe adds later allows nothing.
  return SUBSCRIPTION_STATUSES.find((known) => known === status) ?? 'inactive'
}

function readPrice(price: Stripe.Price | undefined): DevicePrice | null {
  const currency = CURRENCIES.find((one) => one === price?.currency)
  const interval = BILLING_INTERVALS.find((one) => one === price?.recurring?.interval)
  return price && currency && interval ? { amount: price.unit_amount, currency, interval } : null
}

export function readCustomer(
  customer: Stripe.Customer,
  methods: readonly Stripe.PaymentMethod[],
  price: Stripe.Price | undefined,
): Customer {
  const preferred = idOf(customer.invoice_settings.default_payment_method)
  return {
    id: customer.id,
    name: customer.name ?? '',
    email: customer.email ?? '',
    price: readPrice(price),
    payment_methods: methods.flatMap(({ id, card }) =>
      card
        ? [
            {
              id,
              number: card.last4,
              brand: card.brand,
              exp_month: card.exp_month,
              exp_year: card.exp_year,
              // Nobody but the bank keeps it.
              cvc: '',
              default: id === preferred,
            },
          ]
        : [],
    ),
  }
}
