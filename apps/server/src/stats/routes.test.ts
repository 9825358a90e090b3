// The counters of a namespace over HTTP.
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../db/schema.ts'
import { type BootedServer, bootServer, setStatus } from '../testing/boot.ts'

let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
})
afterAll(() => server.close())

describe('counters', () => {
  it('returns zero counters for a new namespace', async () => {
    const person = await server.addPerson('fresh')
    expect((await person.client.call(operations.stats.get, {})).body).toEqual({
      registered_devices: 0,
      online_devices: 0,
      pending_devices: 0,
      rejected_devices: 0,
      active_sessions: 0,
      pending_access_requests: 0,
      containers: { registered: 0, online: 0, pending: 0, rejected: 0 },
    })
  })

  it('counts device statuses, accepted online devices and active sessions of the namespace only', async () => {
    const person = await server.addPerson('busy')
    const other = await server.addPerson('other')
    const db = server.database.system()
    const online = await server.acceptedDevice(person)
    const silent = await server.acceptedDevice(person)
    await server.acceptedDevice(person)
    const pending = await server.registerDevice(person.tenant)
    await server.registerDevice(person.tenant)
    await setStatus(person, (await server.registerDevice(person.tenant)).uid, 'reject')
    await server.acceptedDevice(other)
    const container = await server.acceptedDevice(person)
    const waiting = await server.registerDevice(person.tenant)
    const containers = [container.uid, waiting.uid]
    const info = sql<JsonObject>`info || '{"platform":"connector"}'`
    await db.updateTable('devices').set({ info }).where('uid', 'in', containers).execute()
    // Links as reported by the gateway: two live ones, and one silent for more than two minutes.
    const links = [online.uid, pending.uid, silent.uid]
    await db.updateTable('devices').set({ disconnected_at: null }).where('uid', 'in', links).execute()
    const longAgo = new Date(Date.now() - 121_000)
    await db.updateTable('devices').set({ last_seen: longAgo }).where('uid', '=', silent.uid).execute()
    const session = { tenant_id: person.tenant, device_uid: online.uid, username: 'root', type: 'term' as const }
    await db
      .insertInto('sessions')
      .values([
        { ...session, uid: SessionUid.parse('1'.repeat(64)), active: true },
        { ...session, uid: SessionUid.parse('2'.repeat(64)), active: false },
      ])
      .execute()
    expect((await person.client.call(operations.stats.get, {})).body).toEqual({
      registered_devices: 4,
      online_devices: 1,
      pending_devices: 3,
      rejected_devices: 1,
      active_sessions: 1,
      pending_access_requests: 0,
      containers: { registered: 1, online: 0, pending: 1, rejected: 0 },
    })
  })
})
