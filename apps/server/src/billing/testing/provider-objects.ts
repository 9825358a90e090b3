// Objects of the provider's double, in the shapes of Stripe's API as far as the server reads them.
import type { IncomingMessage } from 'node:http'

/** A form or a query, decoded: `a[b][0]=c` is `{ a: { b: { 0: 'c' } } }`. */
export type Form = { [name: string]: string | Form }

export interface DoubleCustomer {
  readonly id: string
  readonly object: 'customer'
  readonly livemode: boolean
  name: string
  email: string
  metadata: Record<string, string>
  invoice_settings: { default_payment_method: string | null }
  deleted?: true
}

export interface DoubleMethod {
  readonly id: string
  readonly object: 'payment_method'
  readonly type: 'card'
  customer: string | null
  readonly card: { brand: string; last4: string; exp_month: number; exp_year: number }
}

export interface DoublePrice {
  readonly id: string
  readonly object: 'price'
  readonly currency: 'usd'
  /** In cents. */
  readonly unit_amount: number
  readonly recurring: { interval: 'month'; usage_type: 'licensed' | 'metered'; meter: string | null }
}

export const METER = {
  id: 'mtr_1',
  object: 'billing.meter',
  event_name: 'devices',
  customer_mapping: { type: 'by_id', event_payload_key: 'stripe_customer_id' },
  value_settings: { event_payload_key: 'value' },
} as const

/** Price per device, in cents. */
export const UNIT = 500

export function doublePrice(id: string, usage_type: 'licensed' | 'metered'): DoublePrice {
  const meter = usage_type === 'metered' ? METER.id : null
  return {
    id,
    object: 'price',
    currency: 'usd',
    unit_amount: UNIT,
    recurring: { interval: 'month', usage_type, meter },
  }
}

/** A visit to the hosted page that a request has begun. */
export interface DoublePortal {
  readonly id: string
  readonly customer: string
  readonly returnTo: string
  /** True: only the form for a card. */
  readonly cardOnly: boolean
}

/** As Stripe names them; a subscription to be cancelled later stays `active`. */
export type DoubleStatus =
  | 'incomplete'
  | 'incomplete_expired'
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'canceled'
  | 'unpaid'
  | 'paused'

export interface DoubleItem {
  readonly id: string
  readonly object: 'subscription_item'
  readonly price: DoublePrice
  quantity?: number
  /** Seconds since the epoch. */
  current_period_end: number
}

export interface DoubleSubscription {
  readonly id: string
  readonly object: 'subscription'
  readonly customer: string
  status: DoubleStatus
  cancel_at_period_end: boolean
  readonly items: { readonly object: 'list'; readonly data: [DoubleItem] }
}

export interface DoubleInvoice {
  readonly id: string
  readonly object: 'invoice'
  readonly subscription: string
  readonly customer: string
  status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void'
  readonly currency: string
  readonly total: number
  amount_remaining: number
  /** Seconds since the epoch. */
  readonly created: number
  readonly hosted_invoice_url: string
}

export interface DoubleEvent {
  readonly id: string
  readonly object: 'event'
  readonly type: string
  readonly created: number
  readonly data: { readonly object: unknown }
}

/** A failure as Stripe answers it. */
export class DoubleFailure extends Error {
  readonly status: number
  readonly error: Readonly<Record<string, unknown>>

  constructor(status: number, type: string, message: string, more: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.status = status
    this.error = { type, message, ...more }
  }
}

/** @param param the request's parameter that named it */
export function missing(what: string, id: string, param: string): DoubleFailure {
  const more = { code: 'resource_missing', param }
  return new DoubleFailure(404, 'invalid_request_error', `No such ${what}: '${id}'`, more)
}

/** A customer of the other mode. */
export function missingInMode(id: string, live: boolean, param: string): DoubleFailure {
  const [ours, theirs] = live ? ['live', 'test'] : ['test', 'live']
  const more = { code: 'resource_missing', param }
  const message = `No such customer: '${id}'; a similar object exists in ${theirs} mode, but a ${ours} mode key was used to make this request.`
  return new DoubleFailure(404, 'invalid_request_error', message, more)
}

/** A card that its bank refuses; the error has the card in it, as Stripe's has. */
export function declined(method: DoubleMethod): DoubleFailure {
  const more = { code: 'card_declined', decline_code: 'generic_decline', payment_method: method }
  return new DoubleFailure(402, 'card_error', 'Your card was declined.', more)
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

export function decodeForm(text: string): Form {
  const root: Form = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll(']', '').split('[')
    const last = path.pop() ?? ''
    let at = root
    for (const part of path) {
      const next = at[part]
      at = typeof next === 'object' ? next : (at[part] = {})
    }
    at[last] = value
  }
  return root
}

/** A text of a form, by its path; undefined when it is absent. */
export function textAt(form: Form, ...path: readonly string[]): string | undefined {
  let at: string | Form | undefined = form
  for (const part of path) at = typeof at === 'object' ? at[part] : undefined
  return typeof at === 'string' ? at : undefined
}
