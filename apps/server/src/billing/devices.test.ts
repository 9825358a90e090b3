// The number of devices that is billed, on one server and on two, and the end of a namespace.
import { operations } from '@bowline/contract/operations'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bootServer, databaseUrl, outcome } from '../testing/boot.ts'
import { METERED } from './testing/provider-state.ts'
import { type Payer, type PayingWorld, payingWorld, standingOf, untilStatus } from './testing/payers.ts'

const { billing, devices, namespaces } = operations
let world: PayingWorld
beforeAll(async () => {
  world = await payingWorld()
})
afterAll(() => world.close())

const billed = (payer: Payer) => world.subscriptionOf(payer).items.data[0].quantity

describe('the quantity of a licensed price', () => {
  it('follows the accepted devices', async () => {
    const payer = await world.subscriber()
    expect(billed(payer)).toBe(0)
    const uids = await world.accepted(payer, 4)
    world.clock.advance(60_000)
    await until(() => billed(payer) === 4)
    await payer.client.call(devices.remove, { params: { uid: uids[0] ?? '' } })
    world.clock.advance(60_000)
    await until(() => billed(payer) === 3)
  })

  it('is set at once by a report', async () => {
    const payer = await world.subscriber()
    await world.accepted(payer, 2)
    await payer.client.call(billing.report, { query: { action: 'device_accept' } })
    expect(billed(payer)).toBe(2)
  })

  it('is set when the provider is back', async () => {
    const payer = await world.subscriber()
    world.provider.condition = 'down'
    onTestFinished(() => void (world.provider.condition = 'up'))
    const asked = world.provider.requests.length
    await world.accepted(payer, 2)
    world.clock.advance(60_000)
    // Once more by the client of the provider.
    await until(() => world.provider.requests.length >= asked + 2)
    expect(billed(payer)).toBe(0)
    world.provider.condition = 'up'
    await until(() => {
      world.clock.advance(60_000)
      return billed(payer) === 2
    })
  })

  it('is no business of a namespace that does not pay', async () => {
    const payer = await world.payer()
    expect(await outcome(payer.client.call(billing.report, { query: { action: 'device_accept' } }))).toBe(
      '404 NOT_FOUND',
    )
    const over = await world.subscriber()
    await over.client.call(billing.report, { query: { action: 'namespace_delete' } })
    expect(await standingOf(over)).toMatchObject({ status: 'canceled' })
    expect(await outcome(over.client.call(billing.report, { query: { action: 'device_accept' } }))).toBe(
      '402 SUBSCRIPTION_REQUIRED',
    )
  })
})

it('sends the number of devices to the meter of a metered price, once in each period', async () => {
  const metered = await payingWorld({}, METERED)
  onTestFinished(() => metered.close())
  const { state } = metered.provider
  const payer = await metered.subscriber()
  await metered.accepted(payer, 2)
  metered.clock.advance(60_000)
  await until(() => state.meterEvents.at(-1)?.value === 2)
  expect(metered.subscriptionOf(payer).items.data[0].quantity).toBeUndefined()
  const sent = state.meterEvents.length
  metered.clock.advance(1_000)
  await metered.deliver(state.change(metered.subscriptionOf(payer).id, { nextPeriod: true }))
  await until(() => state.meterEvents.length > sent)
  expect(state.meterEvents.at(-1)?.value).toBe(2)
})

describe('a removed namespace', () => {
  it('pays no more', async () => {
    const payer = await world.subscriber()
    const { id } = world.subscriptionOf(payer)
    await payer.client.call(namespaces.remove, { params: { tenant: payer.tenant } })
    world.clock.advance(30_000)
    await expect.poll(() => world.provider.state.subscriptions.get(id)?.status).toBe('canceled')
  })

  it('pays no more once the provider is back', async () => {
    const payer = await world.subscriber()
    const { id } = world.subscriptionOf(payer)
    world.provider.condition = 'down'
    onTestFinished(() => void (world.provider.condition = 'up'))
    expect(await outcome(payer.client.call(namespaces.remove, { params: { tenant: payer.tenant } }))).toBe('200')
    world.clock.advance(30_000)
    const ending = () =>
      world.server.database
        .system()
        .selectFrom('billing_endings')
        .select('failure')
        .where('subscription_id', '=', id)
        .executeTakeFirst()
    await until(async () => ((await ending())?.failure ?? '') !== '')
    expect(world.provider.state.subscriptions.get(id)?.status).toBe('active')
    world.provider.condition = 'up'
    world.clock.advance(3_600_000)
    await until(() => world.provider.state.subscriptions.get(id)?.status === 'canceled')
    await until(async () => (await ending()) === undefined)
  })
})

it('accepts no device beyond the limit on two servers while subscriptions end', async () => {
  const { server: one, clock, provider } = world
  const settings = { ...provider.settings, BOWLINE_SECRET_KEY: one.secretKey }
  const two = await bootServer({ clock, settings, reach: () => Promise.resolve(databaseUrl(one.owner)) })
  onTestFinished(() => two.close())
  for (let round = 0; round < 5; round += 1) {
    const payer = await world.subscriber()
    const uids = await Promise.all(Array.from({ length: 12 }, () => one.registerDevice(payer.tenant)))
    const { body } = await payer.client.call(operations.auth.switchNamespace, { params: { tenant: payer.tenant } })
    const clients = [payer.client, two.client(body.token)]
    const event = provider.state.change(world.subscriptionOf(payer).id, { status: 'canceled' })
    const outcomes = await Promise.all([
      world.deliver(event),
      ...uids.map(({ uid }, i) =>
        outcome((clients[i % 2] ?? payer.client).call(devices.setStatus, { params: { uid, status: 'accept' } })),
      ),
    ])
    await untilStatus(payer, 'canceled')
    const rest = await Promise.all(
      (await Promise.all([one.registerDevice(payer.tenant), one.registerDevice(payer.tenant)])).map(({ uid }) =>
        outcome(payer.client.call(devices.setStatus, { params: { uid, status: 'accept' } })),
      ),
    )
    const accepted = outcomes.filter((answer) => answer === '200').length
    const standing = await standingOf(payer)
    // Those that were accepted while it paid stay; afterwards only as many as there is room for.
    expect(standing.devices).toBe(accepted + rest.filter((answer) => answer === '200').length)
    expect(standing.can_accept).toBe(standing.devices < 3)
    const room = Math.max(0, Math.min(rest.length, 3 - accepted))
    expect(rest.filter((answer) => answer === '200')).toHaveLength(room)
  }
  const free = await world.payer()
  const uids = await Promise.all(Array.from({ length: 20 }, () => one.registerDevice(free.tenant)))
  const { body } = await free.client.call(operations.auth.switchNamespace, { params: { tenant: free.tenant } })
  const clients = [free.client, two.client(body.token)]
  const outcomes = await Promise.all(
    uids.map(({ uid }, i) =>
      outcome((clients[i % 2] ?? free.client).call(devices.setStatus, { params: { uid, status: 'accept' } })),
    ),
  )
  expect(outcomes.filter((answer) => answer === '200')).toHaveLength(3)
  expect((await standingOf(free)).devices).toBe(3)
})
