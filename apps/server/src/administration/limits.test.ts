// Limits of namespaces, with everybody at once: the database keeps them.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { answerOf, ownKey, signing } from '../held-logins/testing.ts'
import { type BootedServer, type Person, bootServer, outcome, setStatus } from '../testing/boot.ts'
import { fakeDevice } from '../testing/gateway.ts'

const { administration, apiKeys, members, tunnels } = operations
let server: BootedServer
let admin: Person
let owner: Person
let number = 0
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  admin = await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(async () => {
  owner = await server.addPerson(`owner-${(number += 1)}`)
})

const limit = (body: object, { tenant } = owner) =>
  admin.client.call(administration.setLimits, { params: { namespace: tenant }, body })
/** Outcomes of calls made at once, sorted. */
const atOnce = async (calls: readonly Promise<unknown>[]) => (await Promise.all(calls.map(outcome))).toSorted()
const passing = (passed: number, refused: number, code: string) => [
  ...Array.from({ length: passed }, () => '200'),
  ...Array.from({ length: refused }, () => code),
]

describe('a limit of a namespace', () => {
  it('of members is never exceeded by additions at once', async () => {
    const people = await Promise.all([1, 2, 3, 4, 5].map((nth) => server.addPerson(`p${number}-${nth}`)))
    await limit({ members: 3 })
    const add = ({ auth: { email } }: Person) =>
      owner.client.call(members.add, { params: { tenant: owner.tenant }, body: { email, role: 'observer' } })
    expect(await atOnce(people.map(add))).toEqual(passing(2, 3, '403 NAMESPACE_FULL'))
    const refused = add(people[0] ?? owner).then(() => '', String)
    expect(await Promise.all(people.map((one) => add(one).then(() => '', String)))).toContainEqual(
      expect.stringContaining('The namespace has reached its limit of 3 members.'),
    )
    await refused
  })

  it('of API keys is never exceeded by calls at once, and expired keys do not count', async () => {
    await limit({ api_keys: 2 })
    const create = (name: string) => owner.client.call(apiKeys.create, { body: { name, expires_at: 30 } })
    expect(await atOnce(['key-a', 'key-b', 'key-c', 'key-d', 'key-e'].map(create))).toEqual(
      passing(2, 3, '403 NAMESPACE_FULL'),
    )
    const rows = server.database.system().updateTable('api_keys').where('tenant_id', '=', owner.tenant)
    await rows.set({ expires_at: new Date(0) }).execute()
    expect(await outcome(create('key-f'))).toBe('200')
  })

  it('of tunnels is never exceeded by calls at once', async () => {
    const devices = await Promise.all([1, 2, 3, 4].map(() => server.acceptedDevice(owner)))
    await limit({ tunnels: 2 })
    const create = (uid: (typeof devices)[number]['uid'], port: number) =>
      owner.client.call(tunnels.create, { params: { uid }, body: { host: '127.0.0.1', port, ttl: -1 } })
    expect(await atOnce(devices.map(({ uid }, nth) => create(uid, 8_000 + nth)))).toEqual(
      passing(2, 2, '403 NAMESPACE_FULL'),
    )
  })

  describe('holds for what has expired and is renewed', () => {
    const RANDOM_ORDERS = Array.from({ length: 3 }, (_, seed) => ({ seed }))
    /** The calls in an order that the seed decides. */
    const shuffled = <T>(calls: readonly T[], seed: number): T[] =>
      calls
        .map((call, at) => ({ call, at: (at * 7 + seed * 3) % 11 }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ call }) => call)
    const rows = () => server.database.system()

    it.each(RANDOM_ORDERS)('tunnels, new and renewed at once ($seed)', async ({ seed }) => {
      const { uid } = await server.acceptedDevice(owner)
      const make = (port: number, ttl: number) =>
        owner.client.call(tunnels.create, { params: { uid }, body: { host: '127.0.0.1', port, ttl } })
      const old = await Promise.all([1, 2, 3].map((port) => make(port, 60)))
      await rows()
        .updateTable('tunnels')
        .where('tenant_id', '=', owner.tenant)
        .set({ expires_at: new Date(0) })
        .execute()
      await limit({ tunnels: 2 })
      const renewals = old.map(
        ({ body: { address } }) =>
          () =>
            owner.client.call(tunnels.update, { params: { uid, address }, body: { ttl: 600 } }),
      )
      const again = () => make(1, 600)
      const calls = [...renewals, () => make(4, 600), () => make(5, -1), again]
      const outcomes = await Promise.all(shuffled(calls, seed).map((call) => outcome(call())))
      expect(outcomes.filter((one) => one !== '200' && one !== '403 NAMESPACE_FULL')).toEqual([])
      const living = rows().selectFrom('tunnels').select('address').where('tenant_id', '=', owner.tenant)
      const left = await living
        .where((one) => one.or([one('expires_at', 'is', null), one('expires_at', '>', new Date())]))
        .execute()
      expect(left).toHaveLength(2)
    })

    it.each(RANDOM_ORDERS)('invitations, new and renewed at once ($seed)', async ({ seed }) => {
      const guests: Person[] = []
      for (const nth of [1, 2, 3, 4, 5]) guests.push(await server.addPerson(`guest-${number}-${nth}`))
      const invite = ({ auth: { email } }: Person) =>
        owner.client.call(members.invite, { params: { tenant: owner.tenant }, body: { email, role: 'observer' } })
      for (const guest of guests.slice(0, 3)) await invite(guest)
      const pending = rows()
        .updateTable('members')
        .where('tenant_id', '=', owner.tenant)
        .where('status', '=', 'pending')
      await pending.set({ expires_at: new Date(0) }).execute()
      await limit({ members: 3 })
      const calls = guests.map((guest) => () => invite(guest))
      const outcomes = await Promise.all(shuffled(calls, seed).map((call) => outcome(call())))
      expect(outcomes.toSorted()).toEqual(passing(2, 3, '403 NAMESPACE_FULL'))
    })
  })

  it('of devices is never exceeded by acceptances at once, and a device that replaces another needs no room', async () => {
    const waiting = await Promise.all([1, 2, 3, 4].map(() => server.registerDevice(owner.tenant)))
    await limit({ devices: 2 })
    const outcomes = await atOnce(waiting.map(({ uid }) => setStatus(owner, uid, 'accept')))
    expect(outcomes).toEqual(passing(2, 2, '403 NAMESPACE_FULL'))
    const { body: accepted } = await owner.client.call(operations.devices.list, { query: { status: 'accepted' } })
    const mac = accepted[0]?.identity?.mac ?? ''
    const successor = await server.registerDevice(owner.tenant, { identity: { mac } })
    await setStatus(owner, successor.uid, 'accept')
    const { total } = await owner.client.call(operations.devices.list, { query: { status: 'accepted' } })
    expect(total).toBe(2)
  })

  it('of SSH sessions is never exceeded by logins at once, and a session that ends makes room', async () => {
    const device = await fakeDevice(server, owner)
    const key = await ownKey(owner)
    await limit({ sessions: 2 })
    const login = device.login('root')
    const clients = await Promise.all([1, 2, 3, 4, 5].map(() => signing(server, login, key)))
    const active = async () => {
      const rows = server.database.system().selectFrom('sessions').select('uid').where('tenant_id', '=', owner.tenant)
      return (await rows.where('active', '=', true).execute()).length
    }
    for (const client of clients) await answerOf(client)
    const texts = await Promise.all(
      clients.map((client) =>
        Promise.race([
          answerOf(client).then(({ text }) => text),
          new Promise<string>((resolve) => setTimeout(resolve, 2_000, '')),
        ]),
      ),
    )
    expect(texts.filter((text) => text.includes('as many sessions open as it may'))).toHaveLength(3)
    expect(await active()).toBe(2)
  })

  it('is that of the server where the namespace has none, and can be lifted for one', async () => {
    const create = (person: Person, name: string) =>
      person.client.call(apiKeys.create, { body: { name, expires_at: 30 } })
    await admin.client.call(administration.setDefaults, { body: { api_keys: 1 } })
    expect((await admin.client.call(administration.getDefaults, {})).body).toMatchObject({ api_keys: 1, members: -1 })
    expect(await atOnce([create(owner, 'key-a'), create(owner, 'key-b')])).toEqual(['200', '403 NAMESPACE_FULL'])
    await limit({ api_keys: -1 })
    expect(await outcome(create(owner, 'key-c'))).toBe('200')
    expect((await limit({ api_keys: null })).body.api_keys).toBeNull()
    expect(await outcome(create(owner, 'key-d'))).toBe('403 NAMESPACE_FULL')
    await admin.client.call(administration.setDefaults, { body: { api_keys: -1 } })
    expect(await outcome(create(owner, 'key-d'))).toBe('200')
  })

  it.each([{ members: 0 }, { devices: -2 }, { tunnels: 1_000_001 }])('cannot be %j', async (body) => {
    expect(await outcome(limit(body))).toMatch(/^400 INVALID_INPUT/)
  })

  it('is told in the log of the namespace', async () => {
    await limit({ tunnels: 7 })
    const { body } = await owner.client.call(operations.audit.list, { query: {} })
    expect(body[0]).toMatchObject({
      action: 'namespace.limit',
      details: { before: { tunnels: null }, after: { tunnels: 7 } },
    })
  })
})
