// Owners who would rather not pay: what was used is billed when a subscription ends, and nobody subscribes anew before an
// earlier invoice is paid.
import { operations } from '@bowline/contract/operations'
import { until } from '@bowline/testkit/until'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { outcome } from '../testing/boot.ts'
import {
  type Payer,
  type PayingWorld,
  acceptAll,
  payWith,
  payingWorld,
  standingOf,
  untilStatus,
} from './testing/payers.ts'
import { LICENSED, METERED } from './testing/provider-state.ts'

const { billing, namespaces } = operations
const worlds: Record<string, PayingWorld> = {
  [LICENSED]: await payingWorld(),
  [METERED]: await payingWorld({}, METERED),
}
afterAll(() => Promise.all(Object.values(worlds).map((world) => world.close())))

const customerOf = ({ provider }: PayingWorld, { tenant }: Payer): string =>
  [...provider.state.customers.values()].find(({ metadata }) => metadata['tenant_id'] === tenant)?.id ?? ''
const amountsOf = (world: PayingWorld, payer: Payer): [string, number][] =>
  world.provider.state.bills
    .list({ customer: customerOf(world, payer) })
    .filter(({ total }) => total > 0)
    .map(({ status, total }) => [status, total])
const subscribe = ({ client }: Payer) => outcome(client.call(billing.createSubscription, {}))

/** A payer who has begun without a device, and has four since. */
async function userOfFour(world: PayingWorld): Promise<Payer> {
  const payer = await world.subscriber()
  await world.accepted(payer, 4)
  await payer.client.call(billing.report, { query: { action: 'device_accept' } })
  expect((await standingOf(payer)).billed_devices).toBe(4)
  return payer
}

describe.each([LICENSED, METERED])('whoever ends a subscription to %s', (price) => {
  const world = worlds[price] as PayingWorld

  it('pays for the devices that no invoice has yet', async () => {
    const payer = await userOfFour(world)
    await payer.client.call(billing.report, { query: { action: 'namespace_delete' } })
    expect(amountsOf(world, payer)).toEqual([['paid', 2_000]])
  })

  it('pays for them when the namespace is deleted, too', async () => {
    const payer = await userOfFour(world)
    await payer.client.call(namespaces.remove, { params: { tenant: payer.tenant } })
    const look = async (): Promise<boolean> => {
      world.clock.advance(30_000)
      return Promise.resolve(amountsOf(world, payer).length > 0)
    }
    await until(look)
    expect(amountsOf(world, payer)).toEqual([['paid', 2_000]])
  })
})

describe('an owner with an unpaid invoice', () => {
  const world = worlds[LICENSED] as PayingWorld

  it.each(['open', 'uncollectible'] as const)('does not subscribe again while it is %s', async (status) => {
    const payer = await world.subscriber()
    const subscription = world.subscriptionOf(payer)
    const [first] = world.provider.state.bills.list({ subscription: subscription.id })
    if (!first) throw new Error('no invoice')
    const bill = { id: `in_${status}`, status, total: 2_000, created: first.created }
    const unpaid = world.provider.state.bills.invoice(subscription, bill, first.hosted_invoice_url)
    await world.deliver(world.provider.state.change(subscription.id, { status: 'canceled' }))
    await untilStatus(payer, 'canceled')
    const refused = payer.client.call(billing.createSubscription, {})
    await expect(refused).rejects.toMatchObject({
      code: 'CARD_REFUSED',
      message: expect.stringContaining('invoice') as string,
    })
    expect(await standingOf(payer)).toMatchObject({ active: false, limit: 3 })
    Object.assign(unpaid, { status: 'paid', amount_remaining: 0 })
    expect(await subscribe(payer)).toBe('200')
  })
})

describe('a crash between the subscription and the report to its meter', () => {
  const world = worlds[METERED] as PayingWorld

  it('leaves one subscription, whose devices are told all the same', async () => {
    const payer = await world.payer()
    await world.accepted(payer, 3)
    await payWith(payer, world.provider.state.card())
    world.provider.condition = (request) => (request === 'POST /v1/billing/meter_events' ? 'down' : 'up')
    onTestFinished(() => void (world.provider.condition = 'up'))
    expect(await subscribe(payer)).toBe('424 DEPENDENCY_FAILED')
    // A process that dies leaves its change open.
    await world.server.database
      .system()
      .updateTable('billing_accounts')
      .set({ busy_until: new Date(world.clock.now() + 120_000) })
      .where('tenant_id', '=', payer.tenant)
      .execute()
    world.provider.condition = 'up'
    expect(await subscribe(payer)).toBe('409 CONFLICT billing')
    world.clock.advance(120_001)
    expect(await subscribe(payer)).toBe('409 CONFLICT subscription')
    expect(world.provider.state.subscriptionsOf(payer.tenant)).toHaveLength(1)
    const told = () =>
      world.provider.state.meterEvents.filter(({ customer }) => customer === customerOf(world, payer)).at(-1)?.value
    await until(() => {
      world.clock.advance(60_000)
      return Promise.resolve(told() === 3)
    })
    expect(await standingOf(payer)).toMatchObject({ status: 'active', limit: -1, billed_devices: 3 })
    await acceptAll(payer, [(await world.server.registerDevice(payer.tenant)).uid])
    await payer.client.call(billing.report, { query: { action: 'device_accept' } })
    expect(told()).toBe(4)
  })
})
