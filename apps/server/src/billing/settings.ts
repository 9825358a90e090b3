// Settings of the payment provider: all of them or none, and in the cloud edition only.
import { ConfigError, type ServerSettings } from '@bowline/contract/config'
import type { StripeSettings } from './provider/stripe.ts'

type Settings = Pick<
  ServerSettings,
  | 'BOWLINE_EDITION'
  | 'BOWLINE_STRIPE_SECRET_KEY'
  | 'BOWLINE_STRIPE_WEBHOOK_SECRET'
  | 'BOWLINE_STRIPE_PRICE_ID'
  | 'BOWLINE_STRIPE_API_URL'
>

/** @throws {ConfigError} naming what is missing */
export function stripeSettings(settings: Settings): StripeSettings | undefined {
  const {
    BOWLINE_STRIPE_SECRET_KEY: secretKey,
    BOWLINE_STRIPE_WEBHOOK_SECRET: webhookSecret,
    BOWLINE_STRIPE_PRICE_ID: priceId,
    BOWLINE_STRIPE_API_URL: apiUrl,
  } = settings
  if (secretKey === undefined && webhookSecret === undefined && priceId === undefined) return undefined
  if (settings.BOWLINE_EDITION !== 'cloud') {
    throw new ConfigError([
      'BOWLINE_STRIPE_SECRET_KEY needs BOWLINE_EDITION=cloud: other editions have no limit to pay for.',
    ])
  }
  if (secretKey === undefined || webhookSecret === undefined || priceId === undefined) {
    throw new ConfigError([
      'BOWLINE_STRIPE_SECRET_KEY, BOWLINE_STRIPE_WEBHOOK_SECRET and BOWLINE_STRIPE_PRICE_ID belong together: one of them is missing.',
    ])
  }
  return { secretKey, webhookSecret, priceId, apiUrl }
}
