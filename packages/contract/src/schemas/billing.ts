// Billing of the cloud edition.
import * as z from 'zod'

export const SUBSCRIPTION_STATUSES = [
  'inactive',
  'active',
  'trialing',
  'incomplete',
  'incomplete_expired',
  'past_due',
  'canceled',
  'unpaid',
  'paused',
  'to_cancel_at_end_of_period',
] as const
export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'uncollectible', 'voided'] as const
export const CURRENCIES = ['usd', 'brl'] as const
export const REPORT_ACTIONS = ['device_accept', 'namespace_delete'] as const

export const PaymentMethod = z
  .object({
    id: z.string(),
    number: z.string(),
    brand: z.string(),
    exp_month: z.number().int(),
    exp_year: z.number().int(),
    cvc: z.string(),
    default: z.boolean(),
  })
  .meta({ id: 'PaymentMethod' })

export const Customer = z
  .object({ id: z.string(), name: z.string(), email: z.string(), payment_methods: z.array(PaymentMethod) })
  .meta({ id: 'Customer' })

export const Subscription = z
  .object({
    id: z.string(),
    active: z.boolean(),
    status: z.enum(SUBSCRIPTION_STATUSES),
    /** Seconds since the epoch. */
    end_at: z.number().int(),
    invoices: z.array(
      z.object({
        id: z.string(),
        status: z.enum(INVOICE_STATUSES),
        currency: z.enum(CURRENCIES),
        /** In cents. */
        amount: z.number().int(),
      }),
    ),
  })
  .meta({ id: 'Subscription' })

export const BillingEvaluation = z
  .object({ can_accept: z.boolean(), can_connect: z.boolean() })
  .meta({ id: 'BillingEvaluation' })

export const BillingStanding = z
  .object({
    status: z.enum(SUBSCRIPTION_STATUSES),
    active: z.boolean(),
    /** Accepted devices. */
    devices: z.number().int(),
    /** Accepted devices that are allowed; −1: any number. */
    limit: z.number().int(),
    can_accept: z.boolean(),
    can_connect: z.boolean(),
    /** End of the period that is paid; null without a subscription. */
    end_at: z.iso.datetime().nullable(),
    /** Time from which a namespace above its limit cannot be connected to; null: no such time is set. */
    grace_until: z.iso.datetime().nullable(),
  })
  .meta({ id: 'BillingStanding' })
export type BillingStanding = z.output<typeof BillingStanding>
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]
export type Customer = z.output<typeof Customer>
export type Subscription = z.output<typeof Subscription>
