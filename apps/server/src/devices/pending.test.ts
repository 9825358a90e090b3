// Limits on number and age of pending devices in a namespace.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@bowline/base/clock'
import { silentLog } from '../platform/log.ts'
import { nowhere } from '../platform/positions.ts'
import type { TenantContext } from '../context.ts'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { makeRoomForPending, removeStalePending } from './pending.ts'

let server: BootedServer
let ada: Person
const removed: string[] = []
beforeAll(async () => {
  server = await bootServer()
  ada = await server.setUpAccount()
})
afterAll(() => server.close())

const context = (tenant: Person['tenant'], source = '127.0.0.1'): TenantContext => ({
  actor: { kind: 'system', name: 'test' },
  tenant,
  db: server.database.forTenant(tenant),
  clock: systemClock,
  log: silentLog,
  edition: 'community',
  source,
  locate: nowhere,
  hasListeners: () => true,
  emit: (event) => void removed.push(event.type === 'device.removed' ? event.uid : event.type),
})
const waiting = async (person: Person) => {
  const query = { status: 'pending' as const, per_page: '100' }
  return (await person.client.call(operations.devices.list, { query })).body.map(({ uid }) => uid)
}
const lastSeen = (uid: string, at: Date) =>
  server.database
    .system()
    .updateTable('devices')
    .set({ last_seen: at })
    .where('uid', '=', uid as never)
    .execute()

describe('pending devices', () => {
  it('evicts the longest unseen pending device from a full namespace', async () => {
    const person = await server.addPerson('full')
    const first = await server.registerDevice(person.tenant)
    const second = await server.registerDevice(person.tenant)
    await lastSeen(second.uid, new Date(Date.now() - 60_000))
    await makeRoomForPending(context(person.tenant, '192.0.2.1'), { all: 2, source: 2 })
    expect(await waiting(person)).toEqual([first.uid])
    expect(removed).toContain(second.uid)
  })

  it('limits pending devices per source address', async () => {
    const person = await server.addPerson('crowded')
    for (let i = 0; i < 2; i += 1) await server.registerDevice(person.tenant)
    const room = (source: string) => makeRoomForPending(context(person.tenant, source), { all: 9, source: 2 })
    await expect(room('127.0.0.1')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
    await expect(room('192.0.2.1')).resolves.toBeUndefined()
  })

  it('removes pending devices unseen for a week, but no accepted ones', async () => {
    const longAgo = new Date(Date.now() - 8 * 86_400_000)
    const accepted = await server.acceptedDevice(ada)
    const stale = await server.registerDevice(ada.tenant)
    const fresh = await server.registerDevice(ada.tenant)
    for (const { uid } of [accepted, stale]) await lastSeen(uid, longAgo)
    await removeStalePending(server.database.system(), (tenant) => context(tenant), Date.now())
    expect(await waiting(ada)).toEqual([fresh.uid])
    expect((await ada.client.call(operations.devices.get, { params: { uid: accepted.uid } })).body.uid).toBe(
      accepted.uid,
    )
    expect(removed).toContain(stale.uid)
  })
})
