// Every request to Stripe, in the shape that Stripe's OpenAPI description wants: each goes to stripe-mock, which validates
// it, before the double answers it. Answers of stripe-mock, which are Stripe's own examples, are read too.
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type StripeMock, startStripeMock, stripeMockMissing } from '@bowline/testkit/stripe-mock'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ProviderDouble, startProvider } from '../testing/provider-double.ts'
import { LICENSED, METERED } from '../testing/provider-state.ts'
import type { PaymentProvider } from './provider.ts'
import { createStripe } from './stripe.ts'

const note = stripeMockMissing === undefined ? '' : ` (${stripeMockMissing})`
const KEY = 'sk_test_double0123456789'
let mock: StripeMock
let double: ProviderDouble
let relay: Server
/** Requests, with ids left out. */
const sent = new Set<string>()
/** Complaint of stripe-mock about a request. */
const refused: string[] = []
/** Writes that could be done twice. */
const withoutKey: string[] = []

beforeAll(async () => {
  if (stripeMockMissing !== undefined) return
  ;[mock, double] = await Promise.all([startStripeMock(), startProvider(() => Date.now())])
  relay = createServer((request, response) => {
    validateAndAnswer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  if (stripeMockMissing !== undefined) return
  relay.close()
  await Promise.all([mock.close(), double.close()])
})
beforeEach(() => {
  sent.clear()
  refused.length = 0
  withoutKey.length = 0
})

async function validateAndAnswer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request
  const body = await text(request)
  const copy = (origin: string) =>
    fetch(origin + url, {
      method,
      headers: Object.fromEntries(
        ['authorization', 'content-type', 'idempotency-key', 'stripe-version'].flatMap((name) =>
          typeof headers[name] === 'string' ? [[name, headers[name]]] : [],
        ),
      ),
      ...(body === '' ? {} : { body }),
    })
  const key = headers['idempotency-key']
  // The library makes up keys that begin so.
  if (method !== 'GET' && (typeof key !== 'string' || key.startsWith('stripe-node')))
    withoutKey.push(`${method} ${url}`)
  const verdict = await copy(mock.origin)
  sent.add(`${method} ${url.replace(/\?.*/, '').replaceAll(/\b(cus|pm|sub|si|price|mtr)_\w+/g, '{id}')}`)
  if (!verdict.ok) refused.push(`${method} ${url} ${body}: ${await verdict.text()}`)
  const answer = await copy(double.state.origin)
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
}

const stripe = (priceId: string, apiUrl: string): PaymentProvider =>
  createStripe({ secretKey: KEY, webhookSecret: 'whsec_double0123456789', priceId, apiUrl })
const relayed = (priceId: string): PaymentProvider =>
  stripe(priceId, `http://127.0.0.1:${(relay.address() as AddressInfo).port}`)

/** From the customer to the end of the subscription. */
async function wholeLife(provider: PaymentProvider, tenant: string): Promise<void> {
  const key = (what: string): string => `${what}:${tenant}`
  const customer = await provider.createCustomer({ tenant, name: 'workshop', email: 'a@example.com', key: key('new') })
  const [method, other] = [double.state.card(), double.state.card('1881')]
  await provider.attachMethod({ customer, method, key: key('attach') })
  await provider.attachMethod({ customer, method: other, key: key('other') })
  await provider.setDefaultMethod({ customer, method, key: key('default') })
  await provider.detachMethod({ customer, method: other, key: key('detach') })
  await provider.describeCustomer(customer)
  await provider.portal({ customer, returnTo: 'https://bowline.example.com/settings/billing', flow: undefined })
  await provider.portal({ customer, returnTo: 'https://bowline.example.com/settings/billing', flow: 'payment_method' })
  await provider.subscribe({ customer, devices: 4, key: key('subscribe') })
  const subscription = (await provider.readCustomer(customer))?.subscription?.id ?? ''
  await provider.setDevices({ customer, subscription, devices: 5, key: key('devices') })
  for await (const one of provider.eachCustomer()) expect(one.id).toMatch(/^cus_/)
  await provider.cancel({ subscription, key: key('cancel') })
}

const ALWAYS = [
  'POST /v1/customers',
  'POST /v1/payment_methods/{id}/attach',
  'GET /v1/payment_methods/{id}',
  'POST /v1/customers/{id}',
  'POST /v1/payment_methods/{id}/detach',
  'GET /v1/customers/{id}',
  'GET /v1/customers/{id}/payment_methods',
  'GET /v1/prices/{id}',
  'POST /v1/billing_portal/sessions',
  'POST /v1/subscriptions',
  'GET /v1/subscriptions',
  'GET /v1/invoices',
  'GET /v1/subscriptions/{id}',
  'GET /v1/customers',
  'DELETE /v1/subscriptions/{id}',
]

describe.skipIf(stripeMockMissing !== undefined)(`requests to Stripe${note}`, () => {
  it('have the shape of its API with a licensed price', async () => {
    await wholeLife(relayed(LICENSED), 'a')
    expect(refused).toEqual([])
    expect([...sent].toSorted()).toEqual([...ALWAYS, 'POST /v1/subscription_items/{id}'].toSorted())
  })

  it('have the shape of its API with a metered price', async () => {
    await wholeLife(relayed(METERED), 'b')
    expect(refused).toEqual([])
    const metered = ['GET /v1/billing/meters/{id}', 'POST /v1/billing/meter_events']
    expect([...sent].toSorted()).toEqual([...ALWAYS, ...metered].toSorted())
  })

  it.each([LICENSED, METERED])(
    'have a key of their own where they write, so that repeating one writes once: %s',
    async (price) => {
      await wholeLife(relayed(price), `keys-${price}`)
      expect(withoutKey).toEqual([])
    },
  )

  it('would be refused in another shape', async () => {
    const ask = (body: string) =>
      fetch(`${mock.origin}/v1/subscriptions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/x-www-form-urlencoded' },
        body,
      })
    expect((await ask('customer=cus_1&items[0][price]=price_1&items[0][quantity]=2')).status).toBe(200)
    const wrong = ['items[0][quantity]=two', 'payment_behavior=hope', 'devices=2'].map(async (parameter) => {
      const { status } = await ask(`customer=cus_1&items[0][price]=price_1&${parameter}`)
      return status
    })
    expect(await Promise.all(wrong)).toEqual([400, 400, 400])
  })

  it("are answered in a shape that is read: Stripe's own examples", async () => {
    const provider = stripe(LICENSED, mock.origin)
    expect(await provider.describeCustomer('cus_1')).toMatchObject({
      id: 'cus_1',
      payment_methods: [{ number: expect.stringMatching(/^\d{4}$/), exp_year: expect.any(Number) }],
    })
    const read = await provider.readCustomer('cus_1')
    expect(read?.subscription).toMatchObject({ id: expect.stringMatching(/^sub_/), end_at: expect.any(Number) })
    expect(read?.subscription?.end_at).toBeGreaterThan(0)
    expect(await provider.portal({ customer: 'cus_1', returnTo: 'https://a.example', flow: undefined })).toMatch(
      /^https/,
    )
  })
})
