// Namespaces whose subscription has ended: the week of grace, logins, and the choice of devices.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import * as n from '@bowline/ssh/wire/numbers'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outcome } from '../testing/boot.ts'
import type { RegisteredDevice } from '../testing/boot.ts'
import { DEVICE_PASSWORD, fakeDevice, rawClient } from '../testing/gateway.ts'
import { TUNNEL_SETTINGS, ask, openTunnel } from '../tunnels/testing/device.ts'
import { dialTls } from '../tunnels/testing/tls.ts'
import { GRACE_MS, STANDINGS } from './standing.ts'
import { type Payer, type PayingWorld, payWith, payingWorld, standingOf, untilStatus } from './testing/payers.ts'

const { billing, devices, namespaces } = operations
let world: PayingWorld
beforeAll(async () => {
  world = await payingWorld({ settings: { ...TUNNEL_SETTINGS, BOWLINE_TUNNELS_TLS_PORT: '0' } })
})
afterAll(() => world.close())

/** Outcome of a login with the right password to an online device: `accepted`, or the reason sent to the client. */
async function login(payer: Payer, known: RegisteredDevice): Promise<string> {
  const device = await fakeDevice(world.server, payer, undefined, known)
  const client = await rawClient(world.server)
  await client.startAuthentication()
  client.sendPassword(device.login('root'), DEVICE_PASSWORD)
  for (;;) {
    const answers = [n.MSG_USERAUTH_SUCCESS, n.MSG_USERAUTH_FAILURE, n.MSG_USERAUTH_BANNER, n.MSG_DISCONNECT]
    const message = await client.next(...answers)
    if (message[0] === n.MSG_USERAUTH_SUCCESS) return 'accepted'
    if (message[0] === n.MSG_USERAUTH_FAILURE) return 'refused'
    if (message[0] === n.MSG_DISCONNECT) return message.toString('utf8')
  }
}

/** Five accepted devices under a subscription. */
async function crowded(): Promise<{ payer: Payer; known: RegisteredDevice[] }> {
  const payer = await world.subscriber()
  const known: RegisteredDevice[] = []
  for (let i = 0; i < 5; i += 1) known.push(await world.server.acceptedDevice(payer))
  return { payer, known }
}

async function become(payer: Payer, status: 'canceled' | 'past_due' | 'unpaid' | 'paused' | 'active'): Promise<void> {
  await world.deliver(world.provider.state.change(world.subscriptionOf(payer).id, { status }))
  await untilStatus(payer, status)
}

const first = (known: readonly RegisteredDevice[]): RegisteredDevice => {
  const [one] = known
  if (!one) throw new Error('no device')
  return one
}

describe('after its subscription a namespace with five devices', () => {
  it('is connected to for a week and then not until devices are chosen', async () => {
    const { payer, known } = await crowded()
    const device = first(known)
    expect(await login(payer, device)).toBe('accepted')
    await become(payer, 'canceled')
    const until = new Date(world.clock.now() + GRACE_MS).toISOString()
    expect(await standingOf(payer)).toMatchObject({
      active: false,
      devices: 5,
      limit: 3,
      can_accept: false,
      can_connect: true,
      grace_until: until,
    })
    const waiting = await world.server.registerDevice(payer.tenant)
    const params = { uid: waiting.uid, status: 'accept' } as const
    expect(await outcome(payer.client.call(devices.setStatus, { params }))).toBe('402 PAYMENT_REQUIRED')
    expect(await login(payer, device)).toBe('accepted')

    world.clock.advance(GRACE_MS - 1)
    let later = await payer.again()
    expect(await standingOf(later)).toMatchObject({ can_connect: true })
    expect(await login(later, device)).toBe('accepted')

    world.clock.advance(1)
    later = await payer.again()
    expect(await standingOf(later)).toMatchObject({ can_connect: false, devices: 5 })
    expect(await login(later, device)).toContain('more devices than it may without a subscription')

    await later.client.call(billing.chooseDevices, { body: { choices: known.slice(0, 3).map(({ uid }) => uid) } })
    expect(await standingOf(later)).toMatchObject({ can_connect: true, can_accept: false, devices: 3 })
    expect(await login(later, device)).toBe('accepted')
  })

  it('is connected to again when it subscribes again', async () => {
    const { payer, known } = await crowded()
    await become(payer, 'unpaid')
    world.clock.advance(GRACE_MS)
    const later = await payer.again()
    expect(await login(later, first(known))).toContain('more devices')
    await become(later, 'active')
    expect(await standingOf(later)).toMatchObject({ limit: -1, can_accept: true, can_connect: true, grace_until: null })
    expect(await login(later, first(known))).toBe('accepted')
  })

  it('does not get another week from the next status', async () => {
    const { payer } = await crowded()
    await become(payer, 'paused')
    const { grace_until: until } = await standingOf(payer)
    world.clock.advance(60_000)
    await become(payer, 'unpaid')
    expect(await standingOf(payer)).toMatchObject({ status: 'unpaid', grace_until: until })
  })
})

it('keeps everything working while the provider tries a card again', async () => {
  const { payer, known } = await crowded()
  await become(payer, 'past_due')
  world.clock.advance(GRACE_MS * 2)
  const later = await payer.again()
  expect(await standingOf(later)).toMatchObject({ active: true, limit: -1, can_accept: true, can_connect: true })
  expect(await login(later, first(known))).toBe('accepted')
  expect(await outcome(later.client.call(billing.report, { query: { action: 'namespace_delete' } }))).toBe(
    '402 SUBSCRIPTION_REQUIRED',
  )
})

it('lets a namespace with three devices connect however long it has not paid', async () => {
  const payer = await world.payer()
  await payWith(payer, world.provider.state.card())
  const device = await world.server.acceptedDevice(payer)
  world.clock.advance(GRACE_MS * 2)
  expect(await login(await payer.again(), device)).toBe('accepted')
})

describe('the table of statuses', () => {
  /** What the double is told for each status. */
  const CHANGES = {
    active: { status: 'active' },
    trialing: { status: 'trialing' },
    to_cancel_at_end_of_period: { status: 'active', cancelAtEnd: true },
    past_due: { status: 'past_due' },
    incomplete: { status: 'incomplete' },
    incomplete_expired: { status: 'incomplete_expired' },
    canceled: { status: 'canceled' },
    unpaid: { status: 'unpaid' },
    paused: { status: 'paused' },
  } as const

  it.each(Object.entries(CHANGES))(
    'holds for logins, tunnels and acceptances above the limit: %s',
    async (status, change) => {
      const { devices: allowed, above } = STANDINGS[status as keyof typeof CHANGES]
      const { payer, known } = await crowded()
      const { url } = await openTunnel(payer, { device: first(known) }, 80)
      const visit = async () => (await ask(world.server, new URL(url).host)).status
      await world.deliver(world.provider.state.change(world.subscriptionOf(payer).id, change))
      await untilStatus(payer, status as keyof typeof CHANGES)
      const canAccept = allowed === 'any'
      expect(await standingOf(payer)).toMatchObject({ active: canAccept, can_accept: canAccept, can_connect: true })
      // The device of the tunnel is not connected: 503 comes from behind the judgement.
      expect(await visit()).toBe(503)
      world.clock.advance(GRACE_MS)
      const later = await payer.again()
      const isConnected = above === 'always'
      expect(await standingOf(later)).toMatchObject({ can_accept: canAccept, can_connect: isConnected })
      expect(await visit()).toBe(isConnected ? 503 : 402)
      const text = await login(later, first(known))
      expect(text).toContain(isConnected ? 'accepted' : 'more devices than it may without a subscription')
    },
  )

  it('gives a namespace that never subscribed no week: inactive', async () => {
    const payer = await world.payer()
    const known = await Promise.all(Array.from({ length: 4 }, () => world.server.registerDevice(payer.tenant)))
    const rows = world.server.database.system().updateTable('devices').set({ status: 'accepted' })
    await rows.where('tenant_id', '=', payer.tenant).execute()
    const { url } = await openTunnel(payer, { device: first(known) }, 80)
    expect(STANDINGS.inactive).toMatchObject({ devices: 'limit', above: 'grace' })
    expect(await standingOf(payer)).toMatchObject({ status: 'inactive', can_accept: false, can_connect: false })
    expect((await ask(world.server, new URL(url).host)).status).toBe(402)
    const tunnel = await openTunnel(payer, { device: first(known) }, 80, { protocol: 'tcp' })
    await expect(dialTls(tunnel)).rejects.toThrow(/alert|reset|disconnected/)
  })

  it('is that of the documentation', async () => {
    const page = join(import.meta.dirname, '../../../docs/content/self-hosted/billing.md')
    const rows = [...(await readFile(page, 'utf8')).matchAll(/^\| `(\w+)` \| (.+) \| (.+) \| (.+) \|$/gm)]
    const written = rows.map(([, ...cells]) => cells.join(' | '))
    const inCode = Object.entries(STANDINGS).map(([status, { seen, devices: many, above }]) =>
      [
        status,
        seen,
        many === 'any' ? 'any number' : 'three',
        above === 'always' ? 'connected to' : 'connected to for a week',
      ].join(' | '),
    )
    expect(written.sort()).toEqual(inCode.sort())
  })
})

it('restores a deleted namespace without its subscription, with the card still known', async () => {
  const { payer } = await crowded()
  const { id } = world.subscriptionOf(payer)
  await payer.client.call(namespaces.remove, { params: { tenant: payer.tenant } })
  await until(() => {
    world.clock.advance(60_000)
    return world.provider.state.subscriptionsOf(payer.tenant).every(({ status }) => status === 'canceled')
  })
  for (const event of world.provider.state.events.filter(({ data }) => JSON.stringify(data).includes(id))) {
    await world.deliver(event)
  }
  const owner = world.server.client(payer.auth.token)
  await owner.call(namespaces.restore, { params: { tenant: payer.tenant } })
  const back = await payer.again()
  await untilStatus(back, 'canceled')
  expect(await standingOf(back)).toMatchObject({ active: false, limit: 3, devices: 5, can_accept: false })
  expect((await back.client.call(billing.getCustomer, {})).body.payment_methods).toHaveLength(1)
  await back.client.call(billing.createSubscription, {})
  await untilStatus(back, 'active')
})
