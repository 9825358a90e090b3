// Customers, cards and subscriptions over HTTP, with the provider's double.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { outcome } from '../testing/boot.ts'
import { type Payer, type PayingWorld, payWith, payingWorld, standingOf } from './testing/payers.ts'

const { billing, namespaces } = operations
let world: PayingWorld
beforeAll(async () => {
  world = await payingWorld()
})
afterAll(() => world.close())

const subscribe = ({ client }: Payer) => outcome(client.call(billing.createSubscription, {}))
const createCustomer = ({ client }: Payer) => outcome(client.call(billing.createCustomer, {}))
const customerOf = async ({ client }: Payer) => (await client.call(billing.getCustomer, {})).body

describe('a subscription', () => {
  it('begins with a customer, a card and a default card, and lifts the device limit', async () => {
    const payer = await world.payer()
    await world.accepted(payer, 2)
    const card = world.provider.state.card('4242')
    await payWith(payer, card)
    expect(await customerOf(payer)).toMatchObject({
      email: `${payer.username}@example.com`,
      name: payer.namespace,
      payment_methods: [{ id: card, number: '4242', brand: 'visa', exp_month: 12, exp_year: 2034, default: true }],
    })
    expect((await customerOf(payer)).price).toEqual({ amount: 500, currency: 'usd', interval: 'month' })
    expect(await outcome(payer.client.call(billing.getSubscription, {}))).toBe('402 SUBSCRIPTION_REQUIRED')
    expect(await subscribe(payer)).toBe('200')

    const { body } = await payer.client.call(billing.getSubscription, {})
    const { id, items } = world.subscriptionOf(payer)
    expect(body).toEqual({
      id,
      active: true,
      status: 'active',
      end_at: items.data[0].current_period_end,
      invoices: [
        {
          id: expect.any(String),
          status: 'paid',
          currency: 'usd',
          amount: 1_000,
          created: Math.floor(world.clock.now() / 1_000),
          url: expect.stringMatching(/^http/),
        },
      ],
    })
    expect(items.data[0].quantity).toBe(2)
    expect(await standingOf(payer)).toMatchObject({
      status: 'active',
      active: true,
      devices: 2,
      limit: -1,
      billed_devices: 2,
    })
    const { body: namespace } = await payer.client.call(namespaces.get, { params: { tenant: payer.tenant } })
    expect(namespace).toMatchObject({ max_devices: -1, billing: { active: true, subscription_id: id } })
    await world.accepted(payer, 3)
    expect((await standingOf(payer)).devices).toBe(5)
  })

  it('is refused with 402 for a declined card and succeeds with another', async () => {
    const payer = await world.payer()
    await payWith(payer, world.provider.state.card('0341', 'payment'))
    expect(await subscribe(payer)).toBe('402 CARD_REFUSED')
    expect(await standingOf(payer)).toMatchObject({ status: 'inactive', limit: 3 })
    const good = { id: world.provider.state.card() }
    await payer.client.call(billing.attachPaymentMethod, { body: good })
    await payer.client.call(billing.setDefaultPaymentMethod, { body: good })
    expect(await subscribe(payer)).toBe('200')
    expect(await standingOf(payer)).toMatchObject({ status: 'active', limit: -1 })
  })

  it('is refused with 402 without a default card', async () => {
    const payer = await world.payer()
    await payer.client.call(billing.createCustomer, {})
    expect(await subscribe(payer)).toBe('402 CARD_REFUSED')
  })

  it('is made once by two calls, one after the other or at once', async () => {
    const payer = await world.subscriber()
    expect(await subscribe(payer)).toBe('409 CONFLICT subscription')

    const other = await world.payer()
    await payWith(other, world.provider.state.card())
    const outcomes = await Promise.all([subscribe(other), subscribe(other)])
    expect(outcomes.filter((one) => one === '200')).toHaveLength(1)
    expect(outcomes.filter((one) => one.startsWith('409 CONFLICT'))).toHaveLength(1)
    expect(world.provider.state.subscriptionsOf(other.tenant)).toHaveLength(1)
  })

  it('is found by the next call when the answer to the first was lost', async () => {
    const payer = await world.payer()
    await payWith(payer, world.provider.state.card())
    world.provider.condition = (request) => (request === 'POST /v1/subscriptions' ? 'losing' : 'up')
    onTestFinished(() => void (world.provider.condition = 'up'))
    expect(await subscribe(payer)).toBe('424 DEPENDENCY_FAILED')
    world.provider.condition = 'up'
    expect(await subscribe(payer)).toBe('409 CONFLICT subscription')
    expect(await standingOf(payer)).toMatchObject({ active: true })
    expect(world.provider.state.subscriptionsOf(payer.tenant)).toHaveLength(1)
  })

  it('ends when the namespace is removed while it begins', async () => {
    const payer = await world.payer()
    await payWith(payer, world.provider.state.card())
    const release = world.provider.hold()
    onTestFinished(release)
    const begun = world.provider.requests.length
    const subscribing = subscribe(payer)
    await expect.poll(() => world.provider.requests.length).toBeGreaterThan(begun)
    await payer.client.call(namespaces.remove, { params: { tenant: payer.tenant } })
    release()
    expect(await subscribing).toBe('404 NOT_FOUND')
    expect(world.provider.state.subscriptionsOf(payer.tenant).filter(({ status }) => status === 'active')).toEqual([])
  })

  it('ends when the process that began it dies before it sees that the namespace is deleted', async () => {
    const payer = await world.subscriber()
    const { id } = world.subscriptionOf(payer)
    const active = () => world.provider.state.subscriptionsOf(payer.tenant).filter(({ status }) => status === 'active')
    const untilEnded = () =>
      until(() => {
        world.clock.advance(30_000)
        return Promise.resolve(active().length === 0)
      })
    await payer.client.call(namespaces.remove, { params: { tenant: payer.tenant } })
    await untilEnded()
    // The call leaves a subscription at the provider, and its event.
    await world.deliver(world.provider.state.begin(id, 'active'))
    expect(active()).toHaveLength(1)
    await untilEnded()
  })
})

const idOf = async ({ tenant }: Payer): Promise<string> =>
  [...world.provider.state.customers.values()].find(({ metadata }) => metadata['tenant_id'] === tenant)?.id ?? ''

describe('a customer', () => {
  it('is made once', async () => {
    const payer = await world.payer()
    expect(await outcome(payer.client.call(billing.getCustomer, {}))).toBe('404 NOT_FOUND')
    const outcomes = await Promise.all([createCustomer(payer), createCustomer(payer)])
    expect(outcomes.toSorted()).toEqual(['200', '409 CONFLICT customer'])
    expect(await createCustomer(payer)).toBe('409 CONFLICT customer')
    const mine = [...world.provider.state.customers.values()].filter(({ email }) => email.startsWith(payer.username))
    expect(mine).toHaveLength(1)
  })

  it('can be made later when the provider failed, which repeats its answer to a key', async () => {
    const payer = await world.payer()
    world.provider.condition = 'failing'
    onTestFinished(() => void (world.provider.condition = 'up'))
    expect(await createCustomer(payer)).toBe('424 DEPENDENCY_FAILED')
    world.provider.condition = 'up'
    world.clock.advance(60_000)
    expect(await createCustomer(payer)).toBe('200')
  })
})

describe('a payment method', () => {
  it('is refused with 402 when its bank declines it', async () => {
    const payer = await world.payer()
    await createCustomer(payer)
    const body = { id: world.provider.state.card('0002', 'attach') }
    expect(await outcome(payer.client.call(billing.attachPaymentMethod, { body }))).toBe('402 CARD_REFUSED')
  })

  it('is not found by anybody but its customer', async () => {
    const [payer, other] = [await world.payer(), await world.payer()]
    const card = world.provider.state.card()
    await payWith(payer, card)
    await createCustomer(other)
    const body = { id: card }
    expect(await outcome(other.client.call(billing.detachPaymentMethod, { body }))).toBe('404 NOT_FOUND')
    expect(await outcome(other.client.call(billing.setDefaultPaymentMethod, { body }))).toBe('404 NOT_FOUND')
    expect(await outcome(other.client.call(billing.attachPaymentMethod, { body: { id: 'pm_nothing' } }))).toBe(
      '404 NOT_FOUND',
    )
    expect((await customerOf(payer)).payment_methods).toHaveLength(1)
    await payer.client.call(billing.detachPaymentMethod, { body })
    expect((await customerOf(payer)).payment_methods).toEqual([])
  })

  it('of a customer cannot be taken over by another', async () => {
    const [payer, other] = [await world.payer(), await world.payer()]
    const card = world.provider.state.card()
    await payWith(payer, card)
    await createCustomer(other)
    expect(await outcome(other.client.call(billing.attachPaymentMethod, { body: { id: card } }))).not.toBe('200')
    expect((await customerOf(payer)).payment_methods).toHaveLength(1)
  })

  it('has an id of letters, digits and underscores', async () => {
    const payer = await world.payer()
    await createCustomer(payer)
    const before = world.provider.requests.length
    const body = { id: '../customers/cus_000001' }
    expect(await outcome(payer.client.call(billing.attachPaymentMethod, { body }))).toBe('400 INVALID_INPUT id')
    expect(world.provider.requests).toHaveLength(before)
  })
})

it('opens the portal for the customer of the namespace', async () => {
  const payer = await world.subscriber()
  const { portals, origin } = world.provider.state
  const opened = async (query: { flow?: 'payment_method' }) => {
    const { body } = await payer.client.call(billing.portal, { query })
    return portals.get(body.url.slice(`${origin}/portal/`.length))
  }
  const customer = await idOf(payer)
  const returnTo = expect.stringMatching(/^http:\/\/[^/]+\/settings\/billing$/)
  expect(await opened({})).toMatchObject({ customer, returnTo, cardOnly: false })
  expect(await opened({ flow: 'payment_method' })).toMatchObject({ customer, returnTo, cardOnly: true })
})

it.each(['administrator', 'operator', 'observer'] as const)('keeps billing from a member who is %s', async (role) => {
  const payer = await world.subscriber()
  const person = await world.server.addPerson(`m${randomUUID().slice(0, 8)}`)
  await world.server.addMember(payer.tenant, person.id, role)
  const { body } = await person.client.call(operations.auth.switchNamespace, { params: { tenant: payer.tenant } })
  const client = world.server.client(body.token)
  const answers = await Promise.all([
    outcome(client.call(billing.getCustomer, {})),
    outcome(client.call(billing.getSubscription, {})),
    outcome(client.call(billing.portal, {})),
    outcome(client.call(billing.report, { query: { action: 'namespace_delete' } })),
    outcome(client.call(billing.attachPaymentMethod, { body: { id: world.provider.state.card() } })),
  ])
  expect(answers.map((one) => one.slice(0, 3))).toEqual(['403', '403', '403', '403', '403'])
  expect((await client.call(billing.standing, {})).body.status).toBe('active')
  expect(world.subscriptionOf(payer).status).toBe('active')
})
