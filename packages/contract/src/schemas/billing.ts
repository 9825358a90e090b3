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

export const BILLING_INTERVALS = ['day', 'week', 'month', 'year'] as const

/** Price of one accepted device. */
export const DevicePrice = z
  .object({
    /** In cents; null for one that depends on the number of devices. */
    amount: z.number().int().nullable(),
    currency: z.enum(CURRENCIES),
    interval: z.enum(BILLING_INTERVALS),
  })
  .meta({ id: 'DevicePrice' })

export const Customer = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    payment_methods: z.array(PaymentMethod),
    /** Null when the provider has no such price. */
    price: DevicePrice.nullable(),
  })
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
        /** Seconds since the epoch. */
        created: z.number().int(),
        /** The provider's page of the invoice; '' for a draft. */
        url: z.string(),
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
    /** Devices that the provider bills; null: unknown, or none are billed. */
    billed_devices: z.number().int().nullable(),
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
export type DevicePrice = z.output<typeof DevicePrice>
export type Customer = z.output<typeof Customer>
export type Subscription = z.output<typeof Subscription>
