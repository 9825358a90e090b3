// Devices that come from another server, over HTTP: what becomes of each, and who may take them over.
import { type KeyObject, generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import type { DeviceImportOutcome, ImportedDevice } from '@bowline/contract/operations/fleet/device-imports'
import type { TenantId } from '@bowline/contract/schemas/common'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { inNamespace } from '../../administration/testing.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../../testing/boot.ts'

const { audit, devices, deviceImports } = operations
let server: BootedServer
let first: Person
let otherServer: KeyObject
beforeAll(async () => {
  server = await bootServer()
  first = await server.setUpAccount()
  otherServer = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
})
afterAll(() => server.close())

let count = 0
const newcomer = (): Promise<Person> => server.addPerson(`importer${(count += 1)}`)
const info = { id: 'debian', pretty_name: 'Debian GNU/Linux 12', version: 'v0.19.0', arch: 'amd64', platform: 'native' }
const pem = (): string => generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' })
const mac = (): string =>
  `02:${randomBytes(5)
    .toString('hex')
    .replaceAll(/..(?=.)/g, '$&:')}`
function device(values: Partial<ImportedDevice> = {}): ImportedDevice {
  const name = `unit-${randomBytes(4).toString('hex')}`
  return { name, mac: mac(), info, public_key: pem(), status: 'accepted', tags: [], ...values }
}
async function take(owner: Person, taken: readonly ImportedDevice[], dryRun = false): Promise<DeviceImportOutcome[]> {
  const body = { devices: [...taken], dry_run: dryRun }
  return (await owner.client.call(deviceImports.create, { body })).body
}
const listOf = async (owner: Person) => (await owner.client.call(devices.list, { query: { status: '' } })).body
const actionsOf = async (owner: Person, target: string) =>
  (await owner.client.call(audit.list, { query: { search: target } })).body.map(({ action }) => action).toSorted()

describe('devices that are taken over', () => {
  it('have the status, name, tags and uid that they had, and were seen when they were seen there', async () => {
    const owner = await newcomer()
    const seen = '2026-01-02T03:04:05.000Z'
    const [web, gone, fresh] = [
      device({ tags: ['kiosk'], last_seen: seen }),
      device({ status: 'rejected' }),
      device({ status: 'pending', last_seen: seen }),
    ]
    const outcomes = await take(owner, [web, gone, fresh])
    expect(outcomes.map(({ name, outcome: what, status }) => [name, what, status])).toEqual([
      [web.name, 'created', 'accepted'],
      [gone.name, 'created', 'rejected'],
      [fresh.name, 'created', 'pending'],
    ])
    const rows = await listOf(owner)
    const [uid, refusedUid, pendingUid] = outcomes.map((one) => one.uid)
    const row = rows.find((one) => one.uid === uid)
    expect(row).toMatchObject({ name: web.name, tags: ['kiosk'], public_key: web.public_key, last_seen: seen, info })
    expect(row).toMatchObject({ online: false, identity: { mac: web.mac } })
    // It has a week to come back.
    const pending = rows.find((one) => one.uid === pendingUid)
    expect(Date.parse(pending?.last_seen ?? '')).toBeGreaterThan(Date.now() - 600_000)
    expect(await actionsOf(owner, uid ?? '')).toEqual(['device.accept', 'device.import'])
    expect(await actionsOf(owner, refusedUid ?? '')).toEqual(['device.import', 'device.reject'])
    const body = { info, identity: { mac: web.mac }, public_key: web.public_key, tenant_id: owner.tenant }
    const registered = await server.client().call(operations.auth.authenticateDevice, { body })
    expect(registered.body).toMatchObject({ uid, name: web.name })
  })

  it('are the same after a second time', async () => {
    const owner = await newcomer()
    const taken = [device({ tags: ['kiosk'] }), device({ status: 'rejected' }), device({ status: 'pending' })]
    const outcomes = await take(owner, taken)
    const before = await listOf(owner)
    const second = await take(owner, taken)
    expect(second).toEqual(outcomes.map((one) => ({ ...one, outcome: 'unchanged' })))
    expect(await listOf(owner)).toEqual(before)
    expect(await actionsOf(owner, outcomes[0]?.uid ?? '')).toEqual(['device.accept', 'device.import'])
  })

  it('stay as the namespace has decided, and are accepted when they wait', async () => {
    const owner = await newcomer()
    const [waits, accepted, rejected] = [device({ tags: ['kiosk'] }), device(), device()]
    const uids: string[] = []
    for (const { public_key, mac: address } of [waits, accepted, rejected]) {
      const registered = await server.registerDevice(owner.tenant, {
        public_key,
        identity: { mac: address },
        hostname: 'x',
      })
      uids.push(registered.uid)
    }
    const [, ours, theirs] = uids
    if (!ours || !theirs) throw new Error('nothing is registered')
    await owner.client.call(devices.update, { params: { uid: ours }, body: { name: 'renamed' } })
    await owner.client.call(devices.setStatus, { params: { uid: ours, status: 'accept' } })
    await owner.client.call(devices.setStatus, { params: { uid: theirs, status: 'reject' } })
    const outcomes = await take(owner, [waits, { ...accepted, status: 'rejected' }, rejected])
    expect(outcomes).toEqual([
      { uid: uids[0], name: waits.name, outcome: 'changed', status: 'accepted', reason: null },
      {
        uid: ours,
        name: 'renamed',
        outcome: 'unchanged',
        status: 'accepted',
        reason: 'It is accepted here; rejected there.',
      },
      {
        uid: theirs,
        name: 'x',
        outcome: 'unchanged',
        status: 'rejected',
        reason: 'It is rejected here; accepted there.',
      },
    ])
    const row = (await listOf(owner)).find(({ uid }) => uid === uids[0])
    expect(row).toMatchObject({ name: waits.name, tags: ['kiosk'] })
  })

  it('wait for a person where a name or MAC address is taken, and never replace a device', async () => {
    const owner = await newcomer()
    const known = await server.acceptedDevice(owner, { hostname: 'web', identity: { mac: '02:00:00:00:00:aa' } })
    const [sameName, sameMac] = [device({ name: 'WEB'.toLowerCase() }), device({ mac: '02:00:00:00:00:AA' })]
    const outcomes = await take(owner, [sameName, sameMac])
    expect(outcomes).toMatchObject([
      { outcome: 'created', status: 'pending', reason: 'Another accepted device of the namespace is named web.' },
      { outcome: 'created', status: 'pending', reason: expect.stringContaining('Would replace an accepted device') },
    ])
    expect((await listOf(owner)).map(({ uid, status }) => [uid, status])).toContainEqual([known.uid, 'accepted'])
  })

  it('wait where the limit of the namespace is reached', async () => {
    const owner = await newcomer()
    await server.database
      .system()
      .updateTable('namespaces')
      .set({ max_devices: 1 })
      .where('tenant_id', '=', owner.tenant)
      .execute()
    const outcomes = await take(owner, [device(), device()])
    expect(outcomes).toMatchObject([
      { outcome: 'created', status: 'accepted', reason: null },
      { outcome: 'created', status: 'pending', reason: expect.stringContaining('device limit of 1.') },
    ])
  })

  it('are refused one by one', async () => {
    const owner = await newcomer()
    const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ format: 'pem', type: 'pkcs1' })
    const secret = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })
    const outcomes = await take(owner, [device({ public_key: weak }), device({ public_key: secret }), device()])
    expect(outcomes.map((one) => one.outcome)).toEqual(['refused', 'refused', 'created'])
    expect(outcomes[0]).toMatchObject({ status: null, reason: expect.stringContaining('RSA with 2048 to 8192 bits') })
    expect(await listOf(owner)).toHaveLength(1)
  })

  it('stay away in a dry run, which tells the same', async () => {
    const owner = await newcomer()
    const known = await server.registerDevice(owner.tenant, { hostname: 'waits' })
    const { mac: address = '' } = known.body.identity ?? {}
    const waits = device({ name: 'waits', mac: address, public_key: known.body.public_key })
    const taken = [waits, device(), device({ status: 'rejected' }), device({ public_key: 'none' })]
    const before = await listOf(owner)
    const dry = await take(owner, taken, true)
    expect(await listOf(owner)).toEqual(before)
    expect(await actionsOf(owner, dry[1]?.uid ?? '')).toEqual([])
    expect(await take(owner, taken)).toEqual(dry)
    expect(dry.map((one) => one.outcome)).toEqual(['changed', 'created', 'created', 'refused'])
  })
})

it('lets two imports at once take each device over once', async () => {
  const owner = await newcomer()
  const taken = Array.from({ length: 20 }, () => device())
  const both = await Promise.all([take(owner, taken), take(owner, taken.toReversed())])
  const created = both.flat().filter((one) => one.outcome === 'created')
  expect(created).toHaveLength(20)
  expect(both.flat().every(({ status }) => status === 'accepted')).toBe(true)
})

it('is for owners and administrators', async () => {
  const owner = await newcomer()
  const member = await newcomer()
  const body = { devices: [device()] }
  for (const [role, status] of [
    ['operator', '403 FORBIDDEN'],
    ['observer', '403 FORBIDDEN'],
    ['administrator', '200'],
  ] as const) {
    await server.addMember(owner.tenant, member.id, role)
    const client = await inNamespace(server, member, owner)
    expect(await outcome(client.call(deviceImports.create, { body }))).toBe(status)
    await server.removeMember(owner.tenant, member.id)
  }
})

it.each([
  ['no device', { devices: [] }],
  ['too many devices', { devices: Array.from({ length: LIMITS.importedDevices + 1 }, () => device()) }],
  ['a name that no SSHID has', { devices: [device({ name: 'a.b' })] }],
  ['another status', { devices: [{ ...device(), status: 'removed' }] }],
  ['a tag that is none', { devices: [device({ tags: ['a b'] })] }],
  ['four tags', { devices: [device({ tags: ['one', 'two', 'three', 'four'] })] }],
  ['a time that is none', { devices: [device({ last_seen: 'yesterday' })] }],
])('refuses %s', async (_, body) => {
  expect(await outcome(first.client.call(deviceImports.create, { body: body as never }))).toMatch(
    /^400 INVALID_INPUT devices/,
  )
})

describe('a token of the server before', () => {
  const signed = (claims: Record<string, unknown>): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).setIssuedAt().sign(otherServer)
  /** Status of the upgrade to a tunnel. */
  async function knock(token: string, path = '/agent/connection'): Promise<number> {
    const socket = new WebSocket(server.origin.replace(/^http/, 'ws') + path, {
      headers: { Authorization: `Bearer ${token}` },
    })
    socket.on('error', () => undefined)
    const status = await Promise.race([
      once(socket, 'upgrade').then(() => 101),
      once(socket, 'unexpected-response').then(([, response]) => (response as { statusCode: number }).statusCode),
    ])
    socket.terminate()
    return status
  }
  const claims = (uid: string, tenant: TenantId) => ({ claims: 'device', uid, tenant, jti: '1' })

  it('names a device that came from there, to the tunnels of existing agents', async () => {
    const owner = await newcomer()
    const [taken] = await take(owner, [device()])
    const token = await signed(claims(taken?.uid ?? '', owner.tenant))
    expect(await knock(token, '/agent/connection')).toBe(101)
    expect(await knock(token, '/ssh/connection')).toBe(101)
    // Agents of ours have tokens of ours.
    expect(await knock(token, '/agent/link')).toBe(401)
  })

  it.each([
    ['of a device that did not come from there', async (owner: Person) => (await server.acceptedDevice(owner)).uid],
    ['of nobody', () => Promise.resolve('0'.repeat(64))],
    [
      'of a device that has an agent of ours',
      async (owner: Person) => {
        const registered = await server.acceptedDevice(owner)
        const { identity, public_key } = registered.body
        await take(owner, [device({ mac: identity?.mac ?? '', public_key })])
        await server.database
          .system()
          .updateTable('devices')
          .set({ signed_at: new Date() })
          .where('uid', '=', registered.uid)
          .execute()
        return registered.uid
      },
    ],
    [
      'of a device that is removed',
      async (owner: Person) => {
        const [taken] = await take(owner, [device()])
        if (!taken) throw new Error('nothing was taken over')
        await owner.client.call(devices.remove, { params: { uid: taken.uid } })
        return taken.uid
      },
    ],
  ])('is refused %s', async (_, uidIn: (owner: Person) => Promise<string>) => {
    const owner = await newcomer()
    expect(await knock(await signed(claims(await uidIn(owner), owner.tenant)))).toBe(401)
  })

  it('is refused with the id of another namespace, and as a token of a person', async () => {
    const [owner, other] = [await newcomer(), await newcomer()]
    const [taken] = await take(owner, [device()])
    const uid = taken?.uid ?? ''
    expect(await knock(await signed(claims(uid, other.tenant)))).toBe(401)
    expect(await knock(await signed({ ...claims(uid, owner.tenant), claims: 'user' }))).toBe(401)
    expect(await knock('e30.e30.e30')).toBe(401)
    const answer = await server.fetch('/api/devices', {
      headers: { authorization: `Bearer ${await signed(claims(uid, owner.tenant))}` },
    })
    expect(answer.status).toBe(401)
  })
})
