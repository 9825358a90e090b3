// Settings of the payment provider, Stripe; the cloud edition alone has one.
import * as z from 'zod'
import type { SettingSpec } from './spec.ts'

const server = ['server'] as const

export const BILLING_SETTINGS = {
  BOWLINE_STRIPE_SECRET_KEY: {
    programs: server,
    schema: z
      .string()
      .regex(/^[rs]k_\w{8,250}$/, 'must begin with sk_ or rk_')
      .optional(),
    description:
      'Secret or restricted key of the Stripe account that namespaces of the cloud edition pay to. Needs BOWLINE_STRIPE_WEBHOOK_SECRET and BOWLINE_STRIPE_PRICE_ID. Without it nobody can subscribe.',
    secret: true,
  },
  BOWLINE_STRIPE_WEBHOOK_SECRET: {
    programs: server,
    schema: z
      .string()
      .regex(/^whsec_\S{8,250}$/, 'must begin with whsec_')
      .optional(),
    description: 'Signing secret of the Stripe webhook that leads to /api/webhook-billing.',
    secret: true,
  },
  BOWLINE_STRIPE_PRICE_ID: {
    programs: server,
    schema: z
      .string()
      .regex(/^price_\w{1,250}$/, 'must begin with price_')
      .optional(),
    description:
      'Recurring price of one accepted device, in USD or BRL. Licensed: the subscription has as many units as there are accepted devices. Metered: the number is sent to the meter of the price.',
  },
  BOWLINE_STRIPE_API_URL: {
    programs: server,
    schema: z
      .string()
      .regex(/^https?:\/\/[^/\s?#@]+$/, 'must be http://host[:port] or https://host[:port]')
      .optional(),
    description: 'Address of another server that speaks the Stripe API, for tests.',
  },
} as const satisfies Record<string, SettingSpec>
