// Stripe as the payment provider.
import { randomUUID } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import { Stripe } from 'stripe'
import { asking, isMissing } from './failures.ts'
import type { PaymentProvider, ProviderCustomer } from './provider.ts'
import { idOf, readCustomer, readSnapshot, readSubscription } from './read.ts'

export interface StripeSettings {
  readonly secretKey: string
  readonly webhookSecret: string
  readonly priceId: string
  /** Undefined: Stripe's own. */
  readonly apiUrl: string | undefined
}

/** For one request, in milliseconds; a failed one is sent once more. */
const TIMEOUT_MS = 10_000
const RETRIES = 1
/** Age of an event's signature, in seconds. */
const TOLERANCE_SECONDS = 300
const INVOICES = 24
const METHODS = 20
/** Subscriptions of a customer that are looked at. */
const SUBSCRIPTIONS = 10
/** Where Stripe's objects name their namespace. */
const TENANT = 'tenant_id'
const PAID = new Set(['active', 'trialing', 'past_due'])
const OVER = new Set(['canceled', 'incomplete_expired'])
const UNPAID = ['open', 'uncollectible'] as const

const OTHER_KEY = 'the key is one of another account, or of the other mode'

/** True for a key of live mode, `sk_live_…` or `rk_live_…`. */
export function isLiveKey(secretKey: string): boolean {
  return /^[rs]k_live_/.test(secretKey)
}

export function createStripe({ secretKey, webhookSecret, priceId, apiUrl }: StripeSettings): PaymentProvider {
  const stripe = new Stripe(secretKey, {
    ...serverOf(apiUrl),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
  })

  async function read(customer: Stripe.Customer): Promise<ProviderCustomer> {
    const { data } = await stripe.subscriptions.list({ customer: customer.id, status: 'all', limit: SUBSCRIPTIONS })
    // The newest come first.
    const chosen =
      data.find(({ status }) => PAID.has(status)) ?? data.find(({ status }) => !OVER.has(status)) ?? data[0]
    const invoices = chosen ? await stripe.invoices.list({ subscription: chosen.id, limit: INVOICES }) : undefined
    return {
      id: customer.id,
      tenant: customer.metadata[TENANT] ?? '',
      live: customer.livemode,
      subscription: chosen && readSubscription(chosen, invoices?.data ?? []),
    }
  }

  /** Undefined: there is none, and subscribing will fail. */
  async function devicePrice(): Promise<Stripe.Price | undefined> {
    try {
      return await stripe.prices.retrieve(priceId)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  /** Whether an invoice of a customer waits for its payment, or was given up. */
  async function owes(customer: string): Promise<boolean> {
    for (const status of UNPAID) {
      const { data } = await stripe.invoices.list({ customer, status, limit: INVOICES })
      if (data.some(({ amount_remaining: rest }) => rest > 0)) return true
    }
    return false
  }

  async function requireMethod(customer: string, method: string): Promise<void> {
    const found = await stripe.paymentMethods.retrieve(method)
    if (idOf(found.customer) !== customer) fail('NOT_FOUND', { what: 'The payment method' })
  }

  return {
    live: isLiveKey(secretKey),
    createCustomer: ({ tenant, name, email, key }) =>
      asking(async () => {
        const created = await stripe.customers.create(
          { name, email, metadata: { [TENANT]: tenant } },
          { idempotencyKey: key },
        )
        return created.id
      }),
    describeCustomer: (id) =>
      asking(async () => {
        const customer = await stripe.customers.retrieve(id)
        if (customer.deleted) return fail('NOT_FOUND', { what: 'The customer' })
        const methods = await stripe.customers.listPaymentMethods(id, { type: 'card', limit: METHODS })
        return readCustomer(customer, methods.data, await devicePrice())
      }),
    readCustomer: (id) =>
      asking(async () => {
        const customer = await stripe.customers.retrieve(id).catch((error: unknown) => {
          // Stripe goes on to know those that were deleted.
          if (isMissing(error)) fail('DEPENDENCY_FAILED', { reason: `it has no customer ${id}: ${OTHER_KEY}` })
          throw error
        })
        return customer.deleted ? undefined : read(customer)
      }),
    async *eachCustomer() {
      const pages = stripe.customers.list({ limit: 100 })[Symbol.asyncIterator]()
      for (;;) {
        const next = await asking(() => pages.next())
        if (next.done) return
        const customer = next.value
        if (customer.metadata[TENANT]) yield await asking(() => read(customer))
      }
    },
    attachMethod: ({ customer, method, key }) =>
      asking(async () => {
        await stripe.paymentMethods.attach(method, { customer }, { idempotencyKey: key })
      }),
    detachMethod: ({ customer, method, key }) =>
      asking(async () => {
        await requireMethod(customer, method)
        await stripe.paymentMethods.detach(method, {}, { idempotencyKey: key })
      }),
    setDefaultMethod: ({ customer, method, key }) =>
      asking(async () => {
        await requireMethod(customer, method)
        const change = { invoice_settings: { default_payment_method: method } }
        await stripe.customers.update(customer, change, { idempotencyKey: key })
      }),
    subscribe: ({ customer, devices, key }) =>
      asking(async () => {
        const payer = await stripe.customers.retrieve(customer)
        // Stripe refuses this too, as a request that names something missing.
        if (payer.deleted || (!payer.invoice_settings.default_payment_method && !payer.default_source)) {
          return fail('CARD_REFUSED', { reason: 'the customer has no default payment method' })
        }
        // A price that is billed afterwards would let somebody use it for nothing, again and again.
        if (await owes(customer)) {
          fail('CARD_REFUSED', { reason: 'an earlier invoice is not paid; pay it first, from the list of invoices' })
        }
        const price = await stripe.prices.retrieve(priceId)
        const metered = price.recurring?.usage_type === 'metered'
        await stripe.subscriptions.create(
          {
            customer,
            items: [{ price: priceId, ...(metered ? {} : { quantity: devices }) }],
            // A first payment that fails leaves no subscription behind.
            payment_behavior: 'error_if_incomplete',
          },
          { idempotencyKey: key },
        )
        if (metered) await report(price, customer, devices, key)
      }),
    setDevices: ({ customer, subscription, devices, key }) =>
      asking(async () => {
        const { items } = await stripe.subscriptions.retrieve(subscription)
        const [item] = items.data
        if (!item) return fail('DEPENDENCY_FAILED', { reason: 'the subscription has no price' })
        if (item.price.recurring?.usage_type === 'metered') return report(item.price, customer, devices, key)
        await stripe.subscriptionItems.update(item.id, { quantity: devices }, { idempotencyKey: key })
      }),
    cancel: ({ subscription, key }) =>
      asking(async () => {
        try {
          // Without its last invoice Stripe forgets usage and added devices that none has yet.
          await stripe.subscriptions.cancel(subscription, { invoice_now: true }, { idempotencyKey: key })
        } catch (error) {
          if (!isMissing(error)) throw error
        }
      }),
    portal: ({ customer, returnTo, flow }) =>
      asking(async () => {
        const back = { type: 'redirect', redirect: { return_url: returnTo } } as const
        const form = { type: 'payment_method_update', after_completion: back } as const
        const { url } = await stripe.billingPortal.sessions.create(
          { customer, return_url: returnTo, ...(flow ? { flow_data: form } : {}) },
          // Another page for each call, and one for each call that is repeated.
          { idempotencyKey: `portal:${randomUUID()}` },
        )
        return url
      }),
    readEvent(text, signature, now) {
      let event: unknown
      try {
        event = stripe.webhooks.constructEvent(text, signature, webhookSecret, TOLERANCE_SECONDS, undefined, now)
      } catch (error) {
        if (error instanceof Stripe.errors.StripeSignatureVerificationError) return undefined
        // Events of another kind, which the library refuses after it has checked their signature.
      }
      return readSnapshot(event)
    },
  }

  /** Sends the number of devices to the meter of a price. */
  async function report(price: Stripe.Price, customer: string, devices: number, key: string): Promise<void> {
    const meter = await stripe.billing.meters.retrieve(price.recurring?.meter ?? '')
    await stripe.billing.meterEvents.create(
      {
        event_name: meter.event_name,
        payload: {
          [meter.customer_mapping.event_payload_key]: customer,
          [meter.value_settings.event_payload_key]: String(devices),
        },
        identifier: key,
      },
      // The key itself may be that of the subscription, which began just before.
      { idempotencyKey: `meter:${key}` },
    )
  }
}

function serverOf(apiUrl: string | undefined): Stripe.StripeConfig {
  if (apiUrl === undefined) return {}
  const { hostname, port, protocol } = new URL(apiUrl)
  const secure = protocol === 'https:'
  return { host: hostname, port: port || (secure ? 443 : 80), protocol: secure ? 'https' : 'http' }
}
