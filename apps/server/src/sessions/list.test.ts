// The list of sessions over HTTP.
import { operations } from '@bowline/contract/operations'
import type { SESSION_SORTS } from '@bowline/contract/operations/sessions'
import { SessionUid } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, type RegisteredDevice, bootServer, outcome } from '../testing/boot.ts'

let server: BootedServer
let person: Person
let device: RegisteredDevice
beforeAll(async () => {
  server = await bootServer()
  person = await server.setUpAccount()
  device = await server.acceptedDevice(person, { hostname: 'box' })
})
afterAll(() => server.close())

const uid = (digit: string) => SessionUid.parse(digit.repeat(64))

/** A session as the gateway opens it. */
async function open(digit: string, lastSeen: string, values: { authenticated?: boolean; active?: boolean } = {}) {
  await server.database
    .system()
    .insertInto('sessions')
    .values({
      uid: uid(digit),
      tenant_id: person.tenant,
      device_uid: device.uid,
      username: 'root',
      ip_address: '192.0.2.9',
      type: 'term',
      last_seen: new Date(lastSeen),
      ...values,
    })
    .execute()
}

describe('listing sessions', () => {
  it('lists sessions, failed logins included, by last_seen and then by uid', async () => {
    await open('2', '2026-11-01T00:00:00Z')
    await open('3', '2026-11-03T00:00:00Z', { authenticated: true, active: true })
    await open('4', '2026-11-02T00:00:00Z')
    await open('1', '2026-11-02T00:00:00Z')
    const { body, total } = await person.client.call(operations.sessions.list, {})
    expect(body.map((session) => session.uid)).toEqual([uid('3'), uid('1'), uid('4'), uid('2')])
    expect(total).toBe(4)
    const single = async (page: string) =>
      (await person.client.call(operations.sessions.list, { query: { page, per_page: '1' } })).body[0]?.uid
    expect([await single('1'), await single('2'), await single('3'), await single('4')]).toEqual(
      body.map((session) => session.uid),
    )
    expect(await single('5')).toBeUndefined()
  })

  it('returns each session with its device and without event items', async () => {
    const { body } = await person.client.call(operations.sessions.list, { query: { per_page: '1' } })
    const { started_at, ...rest } = body[0] ?? { started_at: '' }
    expect(rest).toEqual({
      uid: uid('3'),
      device_uid: device.uid,
      device: expect.objectContaining({ uid: device.uid, name: 'box', online: false }),
      tenant_id: person.tenant,
      username: 'root',
      ip_address: '192.0.2.9',
      last_seen: '2026-11-03T00:00:00.000Z',
      active: true,
      authenticated: true,
      recorded: false,
      recording: { share: 'none', output_bytes: 0, recorded_bytes: 0 },
      type: 'term',
      person: null,
      method: null,
      second_factor: null,
      key: null,
      command: '',
      watchers: [],
      term: '',
      position: { latitude: 0, longitude: 0 },
      events: { types: [], seats: [] },
      closed: null,
    })
    expect(new Date(started_at).toISOString()).toBe(started_at)
  })

  it('sorts by each of its orders, with ties in the opposite order of the uid', async () => {
    const order = async (sort_by: (typeof SESSION_SORTS)[number], order_by: 'asc' | 'desc') =>
      (await person.client.call(operations.sessions.list, { query: { sort_by, order_by } })).body.map(
        (one) => one.uid[0],
      )
    const users: Record<string, string> = { '1': 'ada', '2': 'ben', '3': 'ada', '4': 'cas' }
    for (const [digit, username] of Object.entries(users)) {
      const values = { username, person: username, ip_address: username, started_at: new Date(Number(digit) * 1_000) }
      await server.database.system().updateTable('sessions').set(values).where('uid', '=', uid(digit)).execute()
    }
    for (const sort of ['username', 'person', 'ip_address'] as const) {
      expect(await order(sort, 'asc')).toEqual(['3', '1', '2', '4'])
      expect(await order(sort, 'desc')).toEqual(['4', '2', '1', '3'])
    }
    expect(await order('started_at', 'asc')).toEqual(['1', '2', '3', '4'])
    expect(await order('last_seen', 'asc')).toEqual(['2', '4', '1', '3'])
    await server.database.system().updateTable('sessions').set({ active: true }).where('uid', '=', uid('2')).execute()
    expect(await order('active', 'desc')).toEqual(['3', '2', '1', '4'])
    await server.database.system().updateTable('sessions').set({ active: false }).where('uid', '=', uid('2')).execute()
  })

  it.each([
    ['device_name', 'contains', 'BO', 4],
    ['device_name', 'eq', 'box', 4],
    ['device_name', 'eq', 'bo', 0],
    ['device_name', 'ne', 'box', 0],
    ['device_name', 'contains', 'elsewhere', 0],
    ['words', 'contains', 'ben', 1],
    ['words', 'contains', 'nobody', 0],
  ])('finds those with %s %s %s', async (name, operator, value, count) => {
    const conditions = [{ type: 'property', params: { name, operator, value } }]
    const filter = Buffer.from(JSON.stringify(conditions)).toString('base64')
    const { body, total } = await person.client.call(operations.sessions.list, { query: { filter } })
    expect([body.length, total]).toEqual([count, count])
  })

  it('finds a session by what its device is called now, and none of another namespace', async () => {
    const other = await server.addPerson('neighbour')
    const theirs = await server.acceptedDevice(other, { hostname: 'box' })
    await server.database
      .system()
      .insertInto('sessions')
      .values({
        uid: uid('9'),
        tenant_id: other.tenant,
        device_uid: theirs.uid,
        username: 'root',
        ip_address: '192.0.2.9',
        type: 'term',
      })
      .execute()
    const found = async (value: string) => {
      const conditions = [{ type: 'property', params: { name: 'device_name', operator: 'eq', value } }]
      const filter = Buffer.from(JSON.stringify(conditions)).toString('base64')
      return (await person.client.call(operations.sessions.list, { query: { filter } })).total
    }
    const rename = (name: string) =>
      person.client.call(operations.devices.update, { params: { uid: device.uid }, body: { name } })
    expect(await found('box')).toBe(4)
    await rename('crate')
    expect([await found('box'), await found('crate')]).toEqual([0, 4])
    await rename('box')
  })

  it.each([
    ['-271821-04-20T00:00:00Z', '400 INVALID_FILTER filter'],
    ['-004713-12-31T00:00:00Z', '400 INVALID_FILTER filter'],
    ['-004712-01-01T00:00:00Z', '200'],
    ['+275760-09-13T00:00:00Z', '200'],
  ])('answers a filter by the time %s with %s, whatever times the database has', async (value, expected) => {
    const conditions = [{ type: 'property', params: { name: 'started_at', operator: 'gt', value } }]
    const filter = Buffer.from(JSON.stringify(conditions)).toString('base64')
    expect(await outcome(person.client.call(operations.sessions.list, { query: { filter } }))).toBe(expected)
  })

  it('lists sessions of the token’s namespace only', async () => {
    const other = await server.addPerson('other')
    const { body, total } = await other.client.call(operations.sessions.list, {})
    expect([body, total]).toEqual([[], 0])
  })
})
