// The provider's events over HTTP: in any order, twice, lost, and from somebody else.
import { operations } from '@bowline/contract/operations'
import { outcome } from '../../testing/boot.ts'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PayingWorld, type Payer, payingWorld, standingOf, untilStatus } from '../testing/payers.ts'
import type { DoubleEvent } from '../testing/provider-objects.ts'

const HOUR_MS = 3_600_000
let world: PayingWorld
beforeAll(async () => {
  world = await payingWorld()
})
afterAll(() => world.close())

const row = (id: string) =>
  world.server.database
    .system()
    .selectFrom('billing_events')
    .select(['attempts', 'due_at', 'failure'])
    .where('id', '=', id)
    .executeTakeFirst()
const applied = (...events: DoubleEvent[]) =>
  until(async () => {
    const rows = await Promise.all(events.map(({ id }) => row(id)))
    return rows.every((one) => one?.due_at === null)
  })
/** Jobs that a step of the clock passes run at the step's beginning, so a second step is on the day after. */
const nextDay = () => {
  world.clock.advance(86_400_000)
  world.clock.advance(HOUR_MS)
}
const changesOf = async (payer: Payer): Promise<number> =>
  (
    await world.server.database
      .system()
      .selectFrom('audit_log')
      .select('action')
      .where('tenant_id', '=', payer.tenant)
      .where('action', '=', 'billing.update')
      .execute()
  ).length

/** States of a subscription, from its start to its end. */
function story(payer: Payer): DoubleEvent[] {
  const { id } = world.subscriptionOf(payer)
  const { state } = world.provider
  return [
    state.change(id, { status: 'past_due' }),
    state.change(id, { status: 'active' }),
    state.change(id, { cancelAtEnd: true }),
    state.change(id, { status: 'canceled' }),
  ]
}

describe('events', () => {
  it('are applied one by one as they happen', async () => {
    const payer = await world.subscriber()
    const { id } = world.subscriptionOf(payer)
    const change = async (...values: Parameters<typeof world.provider.state.change>) => {
      expect(await world.deliver(world.provider.state.change(...values))).toBe(200)
    }
    await change(id, { status: 'past_due' })
    await untilStatus(payer, 'past_due')
    await change(id, { status: 'active', cancelAtEnd: true })
    await untilStatus(payer, 'to_cancel_at_end_of_period')
    await change(id, { status: 'canceled' })
    await untilStatus(payer, 'canceled')
    expect(await standingOf(payer)).toMatchObject({ active: false, limit: 3 })
    expect(await changesOf(payer)).toBe(4)
  })

  it('lead to what the provider says in whatever order they come', async () => {
    const payer = await world.subscriber()
    const events = story(payer).toReversed()
    for (const event of events) expect(await world.deliver(event)).toBe(200)
    await applied(...events)
    expect(await standingOf(payer)).toMatchObject({ status: 'canceled', limit: 3 })
  })

  it('are not undone by an older answer of the provider that comes late', async () => {
    const payer = await world.subscriber()
    const before = world.provider.requests.length
    const send = world.provider.stall('GET /v1/subscriptions')
    onTestFinished(send)
    // Begins with a read of its own, which finds the subscription active.
    const subscribing = outcome(payer.client.call(operations.billing.createSubscription, {}))
    await expect.poll(() => world.provider.requests.slice(before)).toContain('GET /v1/subscriptions')
    await world.deliver(world.provider.state.change(world.subscriptionOf(payer).id, { status: 'past_due' }))
    await untilStatus(payer, 'past_due')
    send()
    expect(await subscribing).toBe('409 CONFLICT subscription')
    expect(await standingOf(payer)).toMatchObject({ status: 'past_due' })
  })

  it('change nothing the second time', async () => {
    const payer = await world.subscriber()
    const events = story(payer)
    const twice = [...events, ...events]
    expect(new Set(await Promise.all(twice.map((event) => world.deliver(event))))).toEqual(new Set([200]))
    await applied(...events)
    const changes = await changesOf(payer)
    const [first] = events
    if (!first) throw new Error('no event')
    const before = await row(first.id)
    expect(await world.deliver(first)).toBe(200)
    expect(await row(first.id)).toEqual(before)
    expect(await changesOf(payer)).toBe(changes)
    expect(await standingOf(payer)).toMatchObject({ status: 'canceled' })
  })

  it('of customers that nobody knows are taken and do nothing', async () => {
    const data = { object: { object: 'subscription', customer: 'cus_of_somebody' } }
    const event: DoubleEvent = { id: 'evt_other', object: 'event', type: 'invoice.paid', created: 1, data }
    expect(await world.deliver(event)).toBe(200)
    await applied(event)
  })

  it('wait while the provider is down and are applied when it is back', async () => {
    const payer = await world.subscriber()
    const event = world.provider.state.change(world.subscriptionOf(payer).id, { status: 'unpaid' })
    world.provider.condition = 'down'
    onTestFinished(() => void (world.provider.condition = 'up'))
    expect(await world.deliver(event)).toBe(200)
    await until(async () => ((await row(event.id))?.failure ?? '') !== '')
    expect((await row(event.id))?.failure).toContain('cannot be reached')
    expect(await standingOf(payer)).toMatchObject({ status: 'active' })
    world.provider.condition = 'up'
    world.clock.advance(30_000)
    await untilStatus(payer, 'unpaid')
    await applied(event)
  })

  it('that were lost are made up for by the reconciliation of the day', async () => {
    const payer = await world.subscriber()
    world.provider.state.change(world.subscriptionOf(payer).id, { status: 'canceled' })
    expect(await standingOf(payer)).toMatchObject({ status: 'active' })
    nextDay()
    const later = await payer.again()
    await untilStatus(later, 'canceled')
    const found = () =>
      world.server.database
        .system()
        .selectFrom('billing_differences')
        .select(['field', 'ours', 'theirs'])
        .where('namespace_id', '=', payer.tenant)
        .execute()
    await until(async () => (await found()).length > 0)
    expect(await found()).toContainEqual({ field: 'status', ours: 'active', theirs: 'canceled' })
  })
})

describe('a reconciliation', () => {
  it('is tried again on the same day when the provider was down', async () => {
    const days = () =>
      world.server.database.system().selectFrom('billing_reconciliations').selectAll().orderBy('day').execute()
    // Those of other tests are over.
    await until(async () => (await days()).every(({ ended_at: at }) => at !== null))
    world.provider.condition = (request) => (request === 'GET /v1/customers' ? 'down' : 'up')
    onTestFinished(() => void (world.provider.condition = 'up'))
    const before = (await days()).length
    const asked = world.provider.requests.length
    nextDay()
    await until(() => world.provider.requests.slice(asked).filter((one) => one === 'GET /v1/customers').length >= 2)
    await until(async () => (await days()).length === before)
    world.provider.condition = 'up'
    world.clock.advance(HOUR_MS)
    const ended = async () => (await days()).filter(({ ended_at: at }) => at !== null).length
    await expect.poll(ended).toBe(before + 1)
  })

  it('is repeated by another process when the one that began it has died', async () => {
    const db = world.server.database.system()
    const rowOf = (day: string) =>
      db.selectFrom('billing_reconciliations').selectAll().where('day', '=', day).executeTakeFirst()
    // Two in the morning, so that the hours below are of the same day.
    const morning = (Math.floor(world.clock.now() / 86_400_000) + 2) * 86_400_000 + 2 * HOUR_MS
    const day = new Date(morning).toISOString().slice(0, 10)
    await db
      .insertInto('billing_reconciliations')
      .values({ day, began_at: new Date(morning), ended_at: null })
      .execute()
    world.clock.advance(morning - world.clock.now())
    for (let hour = 0; hour < 8; hour += 1) world.clock.advance(HOUR_MS)
    await expect.poll(async () => (await rowOf(day))?.ended_at ?? null).not.toBeNull()
  })

  it('adopts a customer whose making was cut off', async () => {
    const payer = await world.payer()
    world.provider.condition = (request) => (request === 'POST /v1/customers' ? 'losing' : 'up')
    onTestFinished(() => void (world.provider.condition = 'up'))
    await payer.client.call(operations.billing.createCustomer, {}).catch(() => undefined)
    world.provider.condition = 'up'
    nextDay()
    const later = await payer.again()
    const email = async () => (await later.client.call(operations.billing.getCustomer, {})).body.email
    await expect.poll(() => email().catch(() => 'no customer')).toBe(`${payer.username}@example.com`)
  })
})

it('takes an active subscription for the namespace’s, whatever else its customer has begun since', async () => {
  const payer = await world.subscriber()
  const { id } = world.subscriptionOf(payer)
  const event = world.provider.state.begin(id, 'incomplete')
  expect(await world.deliver(event)).toBe(200)
  await applied(event)
  expect(await standingOf(payer)).toMatchObject({ status: 'active', limit: -1 })
  await world.deliver(world.provider.state.change(id, { status: 'canceled' }))
  await untilStatus(payer, 'incomplete')
})

describe('a signature', () => {
  const event = (id: string): DoubleEvent => ({
    id,
    object: 'event',
    type: 'invoice.paid',
    created: 1,
    data: { object: { object: 'invoice', customer: 'cus_x' } },
  })

  it('of another secret is refused', async () => {
    expect(await world.deliver(event('evt_wrong'), { secret: 'whsec_another0123456' })).toBe(400)
    expect(await row('evt_wrong')).toBeUndefined()
  })

  it('is refused when it is older than five minutes', async () => {
    const now = world.clock.now()
    expect(await world.deliver(event('evt_old'), { at: now - 301_000 })).toBe(400)
    expect(await row('evt_old')).toBeUndefined()
    expect(await world.deliver(event('evt_recent'), { at: now - 299_000 })).toBe(200)
  })

  it('of an event without the object that it is about gets the reason', async () => {
    const thin = {
      id: 'evt_thin',
      object: 'v2.core.event',
      type: 'v1.billing.meter.no_meter_found',
      created: '2026-11-27',
    }
    const { body, headers } = world.provider.sign(thin as unknown as DoubleEvent, world.clock.now())
    const answer = await world.server.fetch('/api/webhook-billing', { method: 'POST', body, headers })
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('snapshot')])
    expect(await row('evt_thin')).toBeUndefined()
  })

  it('of another body, or none, is refused', async () => {
    const { headers } = world.provider.sign(event('evt_signed'), world.clock.now())
    const post = (body: string, sent: Record<string, string>) =>
      world.server.fetch('/api/webhook-billing', { method: 'POST', body, headers: sent })
    const body = JSON.stringify(event('evt_forged'))
    expect((await post(body, headers)).status).toBe(400)
    const answer = await post(body, { 'content-type': 'application/json' })
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('Stripe-Signature')])
    expect(await row('evt_forged')).toBeUndefined()
  })
})
