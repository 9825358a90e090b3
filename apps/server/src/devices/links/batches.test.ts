// Claims and ends of many links at once, and the keys of many devices, on the database.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, type Person, type RegisteredDevice, bootServer } from '../../testing/boot.ts'
import type { PresenceBatches } from '../presence.ts'
import { createPresenceBatches } from './batches.ts'
import { createDeviceKeys } from './keys.ts'

let server: BootedServer
let person: Person
let devices: [RegisteredDevice, RegisteredDevice, RegisteredDevice]
let batches: PresenceBatches
beforeAll(async () => {
  server = await bootServer()
  person = await server.setUpAccount()
  const accepted = () => server.acceptedDevice(person)
  devices = [await accepted(), await accepted(), await accepted()]
  batches = createPresenceBatches(server.database.system(), 'one')
})
afterAll(() => server.close())

const rows = () =>
  server.database
    .system()
    .selectFrom('devices')
    .select(['uid', 'link_node', 'link_epoch', 'remote_addr', 'disconnect_cause', 'disconnected_at'])
    .execute()
const claim = (uid: DeviceUid, remote = '192.0.2.1', tenant = person.tenant, by = batches) =>
  by.claim({ uid, tenant, remote })
const release = (uid: DeviceUid, epoch: number, tenant = person.tenant, by = batches) =>
  by.release({ uid, tenant, epoch, cause: 'network:closed' })

it('claims the links that come together, each with its own address and epoch', async () => {
  const claims = await Promise.all(devices.map(({ uid }, i) => claim(uid, `192.0.2.${i}`)))
  expect(claims.map((one) => one?.heldBy)).toEqual(['', '', ''])
  const found = await rows()
  for (const [i, { uid }] of devices.entries()) {
    expect(found.find((row) => row.uid === uid)).toMatchObject({
      link_node: 'one',
      link_epoch: claims[i]?.epoch,
      remote_addr: `192.0.2.${i}`,
      disconnected_at: null,
    })
  }
})

it('orders two links of one device that come together', async () => {
  const [{ uid }] = devices
  const [older, newer, others] = await Promise.all([
    claim(uid),
    claim(uid),
    claim(uid, '', person.tenant, createPresenceBatches(server.database.system(), 'two')),
  ])
  const epochs = [older, newer, others].map((one) => one?.epoch ?? 0)
  expect(new Set(epochs).size).toBe(3)
  expect(newer?.epoch).toBeGreaterThan(older?.epoch ?? Infinity)
})

it('releases the newest links of its own node only', async () => {
  const [first, second, third] = devices
  const epoch = (await claim(first.uid))?.epoch ?? 0
  const stale = (await claim(second.uid))?.epoch ?? 0
  const newer = (await claim(second.uid))?.epoch ?? 0
  const foreign = (await claim(third.uid))?.epoch ?? 0
  const other = createPresenceBatches(server.database.system(), 'two')
  const outcomes = [
    release(first.uid, epoch),
    release(second.uid, stale),
    release(third.uid, foreign, person.tenant, other),
  ]
  expect(await Promise.all(outcomes)).toEqual([true, false, false])
  expect((await rows()).find(({ uid }) => uid === first.uid)).toMatchObject({
    link_node: '',
    disconnect_cause: 'network:closed',
    disconnected_at: expect.any(Date),
  })
  expect(await release(second.uid, newer)).toBe(true)
  expect(await release(third.uid, foreign)).toBe(true)
})

it('leaves out a row that another transaction has locked, and waits for none', async () => {
  const [locked, free] = devices
  await server.database
    .system()
    .transaction()
    .execute(async (transaction) => {
      await transaction.selectFrom('devices').select('uid').where('uid', '=', locked.uid).forUpdate().execute()
      const claims = await Promise.all([claim(locked.uid), claim(free.uid)])
      expect(claims).toEqual([undefined, { epoch: expect.any(Number), heldBy: '' }])
      expect(await Promise.all([release(locked.uid, 1), release(free.uid, claims[1]?.epoch ?? 0)])).toEqual([
        false,
        true,
      ])
    })
})

it('claims and finds nothing of a deleted namespace, and releases what it had', async () => {
  const other = await server.addPerson('grace')
  const { uid } = await server.acceptedDevice(other)
  const keys = createDeviceKeys(server.database.system())
  const epoch = (await claim(uid, '', other.tenant))?.epoch ?? 0
  expect(await keys({ uid, tenant: other.tenant })).toBeDefined()
  await other.client.call(operations.namespaces.remove, { params: { tenant: other.tenant } })
  expect(await Promise.all([claim(uid, '', other.tenant), keys({ uid, tenant: other.tenant })])).toEqual([
    undefined,
    undefined,
  ])
  expect(await release(uid, epoch, other.tenant)).toBe(true)
})

it('claims, releases and finds nothing of a namespace that a device is not of, nor of a removed device', async () => {
  const [{ uid }] = devices
  const elsewhere = randomUUID() as TenantId
  const keys = createDeviceKeys(server.database.system())
  const epoch = (await claim(uid))?.epoch ?? 0
  expect(await Promise.all([claim(uid, '', elsewhere), release(uid, epoch, elsewhere)])).toEqual([undefined, false])
  const [own, foreign] = await Promise.all([keys({ uid, tenant: person.tenant }), keys({ uid, tenant: elsewhere })])
  expect(own).toMatchObject({ publicKey: expect.stringContaining('PUBLIC KEY'), name: devices[0].name })
  expect(foreign).toBeUndefined()
  await person.client.call(operations.devices.remove, { params: { uid } })
  expect(await Promise.all([claim(uid), release(uid, epoch), keys({ uid, tenant: person.tenant })])).toEqual([
    undefined,
    false,
    undefined,
  ])
})
