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
