// State of the provider's double, and the effect of each request on it.
import { Bills } from './provider-bills.ts'
import {
  METER,
  UNIT,
  type DoubleCustomer,
  type DoubleEvent,
  DoubleFailure,
  type DoubleMethod,
  type DoublePortal,
  type DoublePrice,
  type DoubleStatus,
  type DoubleSubscription,
  type Form,
  declined,
  doublePrice,
  missing,
  missingInMode,
  textAt,
} from './provider-objects.ts'

export const LICENSED = 'price_licensed'
export const METERED = 'price_metered'
const MONTH_SECONDS = 30 * 86_400
const OVER: ReadonlySet<DoubleStatus> = new Set(['canceled', 'incomplete_expired'])
const PAYMENT = 'This customer has no attached payment source or default payment method.'

export class ProviderState {
  readonly customers = new Map<string, DoubleCustomer>()
  readonly methods = new Map<string, DoubleMethod>()
  readonly subscriptions = new Map<string, DoubleSubscription>()
  readonly bills = new Bills()
  readonly portals = new Map<string, DoublePortal>()
  /** Mode of the key of the request that is answered now. */
  live = false
  /** Address of the double's pages. */
  origin = ''
  readonly meterEvents: { readonly customer: string; readonly value: number }[] = []
  /** Events in order of creation; the double delivers none by itself. */
  readonly events: DoubleEvent[] = []
  /** Cards that are refused, and when. */
  readonly #refused = new Map<string, 'attach' | 'payment'>()
  readonly #identifiers = new Set<string>()
  readonly #now: () => number
  #serial = 0

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now
  }

  /** A card as the console's form would make it. @returns the id of the payment method */
  card(last4 = '4242', refused?: 'attach' | 'payment'): string {
    const id = this.#id('pm')
    const card = { brand: 'visa', last4, exp_month: 12, exp_year: 2034 }
    this.methods.set(id, { id, object: 'payment_method', type: 'card', customer: null, card })
    if (refused) this.#refused.set(id, refused)
    return id
  }

  /** Subscriptions of the customers of a namespace. */
  subscriptionsOf(tenant: string): DoubleSubscription[] {
    const ids = [...this.customers.values()].filter(({ metadata }) => metadata['tenant_id'] === tenant)
    return [...this.subscriptions.values()].filter(({ customer }) => ids.some(({ id }) => id === customer))
  }

  /** Subscriptions of a customer that are not over. */
  current(customer: string): DoubleSubscription[] {
    return [...this.subscriptions.values()].filter((one) => one.customer === customer && !OVER.has(one.status))
  }

  /** Changes a subscription as time, a bank or the account's owner does. */
  change(id: string, change: { status?: DoubleStatus; cancelAtEnd?: boolean; nextPeriod?: true }): DoubleEvent {
    const subscription = this.#subscription(id)
    subscription.status = change.status ?? subscription.status
    subscription.cancel_at_period_end = change.cancelAtEnd ?? subscription.cancel_at_period_end
    if (change.nextPeriod) subscription.items.data[0].current_period_end += MONTH_SECONDS
    return this.#happened(
      `customer.subscription.${OVER.has(subscription.status) ? 'deleted' : 'updated'}`,
      subscription,
    )
  }

  /** Begins another subscription like one, as somebody with access to the provider's own pages can. */
  begin(like: string, status: DoubleStatus): DoubleEvent {
    const subscription: DoubleSubscription = {
      ...structuredClone(this.#subscription(like)),
      id: this.#id('sub'),
      status,
    }
    this.subscriptions.set(subscription.id, subscription)
    return this.#happened('customer.subscription.created', subscription)
  }

  /** @throws {DoubleFailure} */
  answer(method: string, path: readonly string[], form: Form): unknown {
    const [noun, id = '', verb] = path
    const isPost = method === 'POST'
    switch (noun) {
      case 'customers':
        if (verb === 'payment_methods') return this.#list([...this.methods.values()].filter((m) => m.customer === id))
        if (isPost) return id === '' ? this.#createCustomer(form) : this.#updateCustomer(id, form)
        return id === '' ? this.#list(this.#customers(), form) : this.#customer(id, 'id')
      case 'payment_methods':
        if (verb === 'attach') return this.#attach(id, textAt(form, 'customer') ?? '')
        if (verb === 'detach') return this.#detach(id)
        return this.#method(id)
      case 'prices':
        return this.#price(id)
      case 'subscriptions':
        if (method === 'DELETE') return this.#cancel(id, textAt(form, 'invoice_now') === 'true')
        if (isPost) return this.#subscribe(form)
        if (id !== '') return this.#subscription(id)
        return this.#list(
          [...this.subscriptions.values()].filter(({ customer }) => customer === textAt(form, 'customer')).toReversed(),
        )
      case 'subscription_items':
        return this.#setQuantity(id, Number(textAt(form, 'quantity')))
      case 'invoices':
        return this.#list(
          this.bills.list({
            subscription: textAt(form, 'subscription'),
            customer: textAt(form, 'customer'),
            status: textAt(form, 'status'),
          }),
        )
      case 'billing_portal':
        return this.#portal(form)
      case 'billing':
        return id === 'meters' ? METER : this.#meter(form)
      default:
        throw new DoubleFailure(
          404,
          'invalid_request_error',
          `Unrecognized request URL (${method}: ${path.join('/')}).`,
        )
    }
  }

  #portal(form: Form): unknown {
    const { id: customer } = this.#customer(textAt(form, 'customer') ?? '', 'customer')
    const portal: DoublePortal = {
      id: this.#id('bps'),
      customer,
      returnTo:
        textAt(form, 'flow_data', 'after_completion', 'redirect', 'return_url') ?? textAt(form, 'return_url') ?? '',
      cardOnly: textAt(form, 'flow_data', 'type') === 'payment_method_update',
    }
    this.portals.set(portal.id, portal)
    return { id: portal.id, object: 'billing_portal.session', url: `${this.origin}/portal/${portal.id}` }
  }

  #createCustomer(form: Form): DoubleCustomer {
    const customer: DoubleCustomer = {
      id: this.#id('cus'),
      object: 'customer',
      livemode: this.live,
      name: textAt(form, 'name') ?? '',
      email: textAt(form, 'email') ?? '',
      metadata: { tenant_id: textAt(form, 'metadata', 'tenant_id') ?? '' },
      invoice_settings: { default_payment_method: null },
    }
    this.customers.set(customer.id, customer)
    this.#happened('customer.created', customer)
    return customer
  }

  #updateCustomer(id: string, form: Form): DoubleCustomer {
    const customer = this.#customer(id, 'customer')
    const method = textAt(form, 'invoice_settings', 'default_payment_method')
    if (method !== undefined) {
      this.#method(method)
      customer.invoice_settings.default_payment_method = method
    }
    return customer
  }

  #attach(id: string, customer: string): DoubleMethod {
    const method = this.#method(id)
    this.#customer(customer, 'customer')
    if (this.#refused.get(id) === 'attach') throw declined(method)
    if (method.customer !== null && method.customer !== customer) {
      throw new DoubleFailure(400, 'invalid_request_error', 'The payment method is attached to a customer already.')
    }
    method.customer = customer
    return method
  }

  #detach(id: string): DoubleMethod {
    const method = this.#method(id)
    for (const { invoice_settings: settings } of this.customers.values()) {
      if (settings.default_payment_method === id) settings.default_payment_method = null
    }
    method.customer = null
    return method
  }

  #subscribe(form: Form): DoubleSubscription {
    const customer = this.#customer(textAt(form, 'customer') ?? '', 'customer')
    const price = this.#price(textAt(form, 'items', '0', 'price') ?? '')
    const method = customer.invoice_settings.default_payment_method
    if (method === null) throw new DoubleFailure(400, 'invalid_request_error', PAYMENT, { code: 'resource_missing' })
    if (this.#refused.has(method)) throw declined(this.#method(method))
    const quantity = textAt(form, 'items', '0', 'quantity')
    const item = {
      id: this.#id('si'),
      object: 'subscription_item' as const,
      price,
      ...(quantity === undefined ? {} : { quantity: Number(quantity) }),
      current_period_end: Math.floor(this.#now() / 1_000) + MONTH_SECONDS,
    }
    const subscription: DoubleSubscription = {
      id: this.#id('sub'),
      object: 'subscription',
      customer: customer.id,
      status: 'active',
      cancel_at_period_end: false,
      items: { object: 'list', data: [item] },
    }
    this.subscriptions.set(subscription.id, subscription)
    this.#happened('customer.subscription.created', subscription)
    this.#invoice(subscription, UNIT * (item.quantity ?? 0), 'paid')
    return subscription
  }

  /** Without an invoice what is not billed yet is forgotten, as Stripe does. */
  #cancel(id: string, invoiceNow: boolean): DoubleSubscription {
    const subscription = this.#subscription(id)
    if (OVER.has(subscription.status)) throw missing('subscription', id, 'id')
    const rest = this.bills.settle(id)
    const method = this.#customer(subscription.customer, 'customer').invoice_settings.default_payment_method
    const isPaid = method !== null && !this.#refused.has(method)
    if (invoiceNow && rest > 0) this.#invoice(subscription, rest, isPaid ? 'paid' : 'open')
    this.change(id, { status: 'canceled' })
    return subscription
  }

  #invoice(subscription: DoubleSubscription, total: number, status: 'paid' | 'open'): void {
    const bill = { id: this.#id('in'), status, total, created: Math.floor(this.#now() / 1_000) }
    const invoice = this.bills.invoice(subscription, bill, `${this.origin}/invoice/${subscription.id}`)
    this.#happened(status === 'paid' ? 'invoice.paid' : 'invoice.payment_failed', invoice)
  }

  #setQuantity(id: string, quantity: number): unknown {
    for (const subscription of this.subscriptions.values()) {
      const [item] = subscription.items.data
      if (item.id !== id) continue
      this.bills.added(subscription.id, quantity - (item.quantity ?? 0))
      item.quantity = quantity
      this.#happened('customer.subscription.updated', subscription)
      return item
    }
    throw missing('subscription_item', id, 'item')
  }

  #meter(form: Form): unknown {
    const identifier = textAt(form, 'identifier') ?? ''
    if (this.#identifiers.has(identifier)) {
      throw new DoubleFailure(400, 'invalid_request_error', 'An event already exists with this identifier.')
    }
    this.#identifiers.add(identifier)
    const event = {
      customer: textAt(form, 'payload', 'stripe_customer_id') ?? '',
      value: Number(textAt(form, 'payload', 'value')),
    }
    this.meterEvents.push(event)
    for (const { id } of this.current(event.customer)) this.bills.used(id, event.value)
    return { object: 'billing.meter_event', identifier, event_name: textAt(form, 'event_name') }
  }

  #price(id: string): DoublePrice {
    if (id === LICENSED) return doublePrice(id, 'licensed')
    if (id === METERED) return doublePrice(id, 'metered')
    throw missing('price', id, 'price')
  }

  #customer(id: string, param: string): DoubleCustomer {
    const customer = this.customers.get(id)
    if (!customer) throw missing('customer', id, param)
    if (customer.livemode !== this.live) throw missingInMode(id, this.live, param)
    return customer
  }

  #customers(): DoubleCustomer[] {
    return [...this.customers.values()].filter(({ livemode }) => livemode === this.live).toReversed()
  }

  #method(id: string): DoubleMethod {
    const method = this.methods.get(id)
    if (!method) throw missing('PaymentMethod', id, 'payment_method')
    return method
  }

  #subscription(id: string): DoubleSubscription {
    const subscription = this.subscriptions.get(id)
    if (!subscription) throw missing('subscription', id, 'id')
    return subscription
  }

  #list(all: readonly { readonly id: string }[], form: Form = {}): unknown {
    const after = textAt(form, 'starting_after')
    const rest = after === undefined ? all : all.slice(all.findIndex(({ id }) => id === after) + 1)
    const limit = Number(textAt(form, 'limit') ?? 10)
    return { object: 'list', data: rest.slice(0, limit), has_more: rest.length > limit }
  }

  #happened(type: string, object: unknown): DoubleEvent {
    const created = Math.floor(this.#now() / 1_000)
    // As it was then: later changes do not show in it.
    const event: DoubleEvent = {
      id: this.#id('evt'),
      object: 'event',
      type,
      created,
      data: structuredClone({ object }),
    }
    this.events.push(event)
    return event
  }

  #id(prefix: string): string {
    this.#serial += 1
    return `${prefix}_${String(this.#serial).padStart(6, '0')}`
  }
}
