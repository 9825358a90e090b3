// The cloud edition without subscriptions: device limit and slots of removed devices.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { type DeviceUid, SessionUid, TenantId } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Client, bootServer, outcome } from '../testing/boot.ts'

const { billing, devices, namespaces, auth } = operations
const HOUR_MS = 3_600_000
let clock: ManualClock
let server: BootedServer
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock, settings: { BOWLINE_EDITION: 'cloud' } })
})
afterAll(() => server.close())

interface Free {
  readonly tenant: TenantId
  /** The owner, signed in again: the clock may have advanced. */
  client(): Promise<Client>
}

/** A namespace with the cloud's default limit of three devices. */
async function freeNamespace(): Promise<Free> {
  const person = await server.addPerson(`p${randomUUID().slice(0, 8)}`)
  const { body } = await person.client.call(namespaces.create, { body: { name: `n${randomUUID().slice(0, 8)}` } })
  expect(body.max_devices).toBe(3)
  const tenant = TenantId.parse(body.tenant_id)
  return {
    tenant,
    async client() {
      const signedIn = await server.client().call(auth.login, { body: person })
      const swap = await server.client(signedIn.body.token).call(auth.switchNamespace, { params: { tenant } })
      return server.client(swap.body.token)
    },
  }
}
const waiting = async ({ tenant }: Free, count: number): Promise<DeviceUid[]> => {
  const uids: DeviceUid[] = []
  for (let i = 0; i < count; i += 1) uids.push((await server.registerDevice(tenant)).uid)
  return uids
}
const accept = (client: Client, uid: DeviceUid | undefined) =>
  outcome(client.call(devices.setStatus, { params: { uid: uid ?? '', status: 'accept' } }))
const remove = (client: Client, uid: DeviceUid | undefined) =>
  client.call(devices.remove, { params: { uid: uid ?? '' } })
const evaluate = async (client: Client) => (await client.call(billing.evaluate, {})).body
const LIMIT = '402 PAYMENT_REQUIRED'

describe('limit of three devices', () => {
  it('refuses the fourth device with 402', async () => {
    const free = await freeNamespace()
    const client = await free.client()
    const [a, b, c, d] = await waiting(free, 4)
    expect([await accept(client, a), await accept(client, b)]).toEqual(['200', '200'])
    expect(await evaluate(client)).toEqual({ can_accept: true, can_connect: true })
    expect(await accept(client, c)).toBe('200')
    expect(await evaluate(client)).toEqual({ can_accept: false, can_connect: true })
    expect(await accept(client, d)).toBe(LIMIT)
  })

  it('holds the device limit for fifty concurrent acceptances', async () => {
    const free = await freeNamespace()
    const client = await free.client()
    const uids = await waiting(free, 50)
    const outcomes = await Promise.all(uids.map((uid) => accept(client, uid)))
    expect(outcomes.filter((one) => one === '200')).toHaveLength(3)
    expect(outcomes.filter((one) => one === LIMIT)).toHaveLength(47)
    expect((await client.call(devices.list, {})).total).toBe(3)
  })

  it('lifts the device limit for a subscriber', async () => {
    const free = await freeNamespace()
    await server.database
      .system()
      .updateTable('namespaces')
      .set({ max_devices: -1, billing: { active: true } })
      .where('tenant_id', '=', free.tenant)
      .execute()
    const client = await free.client()
    for (const uid of await waiting(free, 5)) expect(await accept(client, uid)).toBe('200')
    expect(await evaluate(client)).toEqual({ can_accept: true, can_connect: true })
    expect(await outcome(client.call(namespaces.support, { params: { tenant: free.tenant } }))).toBe('200')
  })
})

describe('removed device', () => {
  it('reserves the place of a removed device for 720 hours', async () => {
    const free = await freeNamespace()
    const client = await free.client()
    const [a, b, c, d] = await waiting(free, 4)
    for (const uid of [a, b, c]) await accept(client, uid)
    await remove(client, c)
    const { body: removed, total } = await client.call(devices.list, { query: { status: 'removed' } })
    expect([removed.map(({ uid, status }) => [uid, status]), total]).toEqual([[[c, 'removed']], 1])
    expect(await accept(client, d)).toBe(LIMIT)
    expect(await evaluate(client)).toEqual({ can_accept: false, can_connect: true })

    clock.advance(720 * HOUR_MS - 1)
    expect(await accept(await free.client(), d)).toBe(LIMIT)
    // Pending devices are removed a week after they were last seen; this one was seen just now.
    const last_seen = new Date(clock.now())
    await server.database
      .system()
      .updateTable('devices')
      .set({ last_seen })
      .where('tenant_id', '=', free.tenant)
      .execute()
    clock.advance(1)
    const later = await free.client()
    expect((await later.call(devices.list, { query: { status: 'removed' } })).total).toBe(0)
    expect(await accept(later, d)).toBe('200')
  })

  it('lets a removed device return to a full namespace, and no other device', async () => {
    const free = await freeNamespace()
    const client = await free.client()
    const [a, b] = await waiting(free, 2)
    const returning = await server.registerDevice(free.tenant)
    for (const uid of [a, b, returning.uid]) await accept(client, uid)
    await remove(client, returning.uid)
    const [d] = await waiting(free, 1)
    const back = await server.client().call(auth.authenticateDevice, { body: returning.body })
    expect(back.body.uid).toBe(returning.uid)
    const { body: pending } = await client.call(devices.list, { query: { status: 'pending' } })
    expect(new Map(pending.map(({ uid, acceptable }) => [uid, acceptable]))).toEqual(
      new Map([
        [returning.uid, true],
        [d, false],
      ]),
    )
    expect(await accept(client, d)).toBe(LIMIT)
    expect(await accept(client, returning.uid)).toBe('200')
    expect((await client.call(devices.list, { query: { status: 'removed' } })).total).toBe(0)
    expect(await accept(client, d)).toBe(LIMIT)
  })

  it('reserves no place for a removed device that was never accepted', async () => {
    const free = await freeNamespace()
    const client = await free.client()
    const [a] = await waiting(free, 1)
    await remove(client, a)
    expect((await client.call(devices.list, { query: { status: 'removed' } })).total).toBe(0)
  })
})

describe('choice of devices', () => {
  /** A namespace whose subscription has ended: five accepted devices, limit three. */
  async function overLimit(): Promise<{ client: Client; uids: DeviceUid[]; free: Free }> {
    const free = await freeNamespace()
    const limit = (max_devices: number) =>
      server.database
        .system()
        .updateTable('namespaces')
        .set({ max_devices })
        .where('tenant_id', '=', free.tenant)
        .execute()
    await limit(-1)
    const client = await free.client()
    const uids = await waiting(free, 5)
    for (const uid of uids) await accept(client, uid)
    await limit(3)
    return { client, uids, free }
  }

  it('keeps the three chosen devices and returns the others to pending', async () => {
    const { client, uids } = await overLimit()
    expect(await evaluate(client)).toEqual({ can_accept: false, can_connect: false })
    await client.call(billing.chooseDevices, { body: { choices: uids.slice(0, 3) } })
    const uidsOf = async (status: 'accepted' | 'pending') =>
      new Set((await client.call(devices.list, { query: { status } })).body.map(({ uid }) => uid))
    expect(await uidsOf('accepted')).toEqual(new Set(uids.slice(0, 3)))
    expect(await uidsOf('pending')).toEqual(new Set(uids.slice(3)))
    expect(await evaluate(client)).toEqual({ can_accept: false, can_connect: true })
  })

  it('accepts at most three choices, all of accepted devices', async () => {
    const { client, uids, free } = await overLimit()
    const choose = (choices: DeviceUid[]) => outcome(client.call(billing.chooseDevices, { body: { choices } }))
    expect(await choose(uids.slice(0, 4))).toBe('400 INVALID_INPUT choices')
    expect(await choose(await waiting(free, 1))).toBe('400 INVALID_INPUT choices')
    expect((await client.call(devices.list, {})).total).toBe(5)
  })

  it('lists the most used devices', async () => {
    const { client, uids, free } = await overLimit()
    const sessions = uids.flatMap((device_uid, i) =>
      Array.from({ length: i }, () => ({
        uid: SessionUid.parse((randomUUID() + randomUUID()).replaceAll('-', '')),
        tenant_id: free.tenant,
        device_uid,
        username: 'root',
        type: 'term' as const,
      })),
    )
    await server.database.system().insertInto('sessions').values(sessions).execute()
    const { body, total } = await client.call(billing.mostUsedDevices, {})
    expect([body.map(({ uid }) => uid), total]).toEqual([[uids[4], uids[3], uids[2]], 3])
  })

  it('does not let a member have all sessions counted again and again', async () => {
    const { client } = await overLimit()
    const ask = () => outcome(client.call(billing.mostUsedDevices, {}))
    const answers = await Promise.all(Array.from({ length: 30 }, ask))
    expect(answers.filter((one) => one === '200').length).toBeLessThanOrEqual(10)
    expect(new Set(answers)).toEqual(new Set(['200', '429 TOO_MANY_REQUESTS']))
    clock.advance(1_000)
    expect(await ask()).toBe('200')
  })
})
