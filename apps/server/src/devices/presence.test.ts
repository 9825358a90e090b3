// Presence of devices, as reported by the gateway, on the database.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@bowline/base/clock'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { LiveEvent } from '@bowline/contract/schemas/event'
import { nowhere } from '../platform/positions.ts'
import { silentLog } from '../platform/log.ts'
import type { TenantContext } from '../context.ts'
import { type BootedServer, type Person, type RegisteredDevice, bootServer } from '../testing/boot.ts'
import { putNode } from '../nodes/store.ts'
import { forgetLinksOf, linkDown, linkUp, notifyLinkUp, restoreLinks } from './presence.ts'

let server: BootedServer
let person: Person
let device: RegisteredDevice
let emitted: LiveEvent[]
beforeAll(async () => {
  server = await bootServer()
  person = await server.setUpAccount()
  device = await server.acceptedDevice(person)
  emitted = []
})
afterAll(() => server.close())

const system = () => server.database.system()
const ctx = (): TenantContext => ({
  actor: { kind: 'device', uid: device.uid, tenant: person.tenant, proven: true },
  tenant: person.tenant,
  db: server.database.forTenant(person.tenant),
  clock: systemClock,
  log: silentLog,
  edition: 'community',
  source: '',
  locate: nowhere,
  hasListeners: () => true,
  emit: (event) => emitted.push(event),
})
const online = async () =>
  (await person.client.call(operations.devices.get, { params: { uid: device.uid } })).body.online

describe('presence of a device', () => {
  it('reports a device online while its link is up, and notifies listeners', async () => {
    expect(await online()).toBe(false)
    const epoch = (await linkUp(ctx(), device.uid, 'node', '192.0.2.8'))?.epoch ?? 0
    await notifyLinkUp(ctx(), device.uid)
    expect(await online()).toBe(true)
    await linkDown(ctx(), device.uid, { node: 'node', epoch: epoch })
    expect(await online()).toBe(false)
    expect(emitted).toMatchObject([
      { type: 'device.changed', device: { uid: device.uid, online: true, remote_addr: '192.0.2.8' } },
      { type: 'device.changed', device: { uid: device.uid, online: false } },
    ])
  })

  it('keeps a device online when an older link of it ends', async () => {
    const older = (await linkUp(ctx(), device.uid, 'node', ''))?.epoch ?? 0
    const newer = (await linkUp(ctx(), device.uid, 'node', ''))?.epoch ?? 0
    expect(newer).toBeGreaterThan(older)
    await linkDown(ctx(), device.uid, { node: 'node', epoch: older })
    expect(await online()).toBe(true)
    await linkDown(ctx(), device.uid, { node: 'node', epoch: newer })
  })

  it('keeps a device online when a link of another node with the same epoch ends, as after a failover', async () => {
    const epoch = (await linkUp(ctx(), device.uid, 'node', ''))?.epoch ?? 0
    await linkDown(ctx(), device.uid, { node: 'another', epoch })
    expect(await online()).toBe(true)
    await linkDown(ctx(), device.uid, { node: 'node', epoch })
    expect(await online()).toBe(false)
  })

  it('restores claims that a row lacks, but not over another live node', async () => {
    await putNode(system(), { id: 'live', life: randomUUID(), address: '', keyPin: '', version: 'v1' })
    const epoch = (await linkUp(ctx(), device.uid, 'live', ''))?.epoch ?? 0
    const restore = (later: number) => restoreLinks(system(), 'node', [{ uid: device.uid, epoch: epoch + later }])
    expect(await restore(0)).toEqual([])
    expect(await restore(1)).toEqual([{ uid: device.uid, state: 'held-elsewhere' }])
    await linkDown(ctx(), device.uid, { node: 'live', epoch })
    expect(await restore(1)).toEqual([{ uid: device.uid, state: 'restored' }])
    expect(await restore(1)).toEqual([])
    await linkDown(ctx(), device.uid, { node: 'node', epoch: epoch + 1 })
    expect(await online()).toBe(false)
  })

  it('tells which claims are of devices without a row', async () => {
    const uid = 'f'.repeat(64) as DeviceUid
    expect(await restoreLinks(system(), 'node', [{ uid, epoch: 1 }])).toEqual([{ uid, state: 'unknown-device' }])
  })

  it('marks devices offline when the node that held their link restarts', async () => {
    await linkUp(ctx(), device.uid, 'restarted', '')
    await forgetLinksOf(system(), 'another')
    expect(await online()).toBe(true)
    await forgetLinksOf(system(), 'restarted')
    expect(await online()).toBe(false)
  })

  it('ignores links of a removed device', async () => {
    const gone = await server.acceptedDevice(person)
    const epoch = (await linkUp(ctx(), gone.uid, 'node', ''))?.epoch ?? 0
    await person.client.call(operations.devices.remove, { params: { uid: gone.uid } })
    await expect(linkDown(ctx(), gone.uid, { node: 'node', epoch: epoch })).resolves.toBeUndefined()
    expect(await linkUp(ctx(), gone.uid, 'node', '')).toBeUndefined()
  })
})

describe('a link that has stood for an hour', () => {
  it('counts as online for as long as the node that holds it renews its lease', async () => {
    const run = { id: 'holder', life: randomUUID(), address: '', keyPin: '', version: 'v1' }
    await putNode(system(), run)
    await linkUp(ctx(), device.uid, 'holder', '')
    const hour = new Date(Date.now() - 3_600_000)
    await system().updateTable('devices').set({ last_seen: hour }).where('uid', '=', device.uid).execute()
    expect(await online()).toBe(true)
    const { body } = await person.client.call(operations.devices.get, { params: { uid: device.uid } })
    expect(new Date(body.last_seen).getTime()).toBeGreaterThan(hour.getTime())
    const late = new Date(Date.now() - 20_000)
    await system().updateTable('nodes').set({ heartbeat_at: late }).where('id', '=', 'holder').execute()
    expect(await online()).toBe(false)
  })
})
