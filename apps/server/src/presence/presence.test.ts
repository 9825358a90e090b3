// Spans of presence and incidents, as devices' rows change.
import { operations } from '@bowline/contract/operations'
import { DeviceUid } from '@bowline/contract/schemas/common'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '@bowline/base/clock'
import type { TenantContext } from '../context.ts'
import { asOwner } from '../db/owner-session.ts'
import { forgetLinksOf, linkDown, linkUp, markOffline } from '../devices/presence.ts'
import { putNode } from '../nodes/store.ts'
import { silentLog } from '../platform/log.ts'
import { nowhere } from '../platform/positions.ts'
import { type BootedServer, type Person, type RegisteredDevice, bootServer } from '../testing/boot.ts'
import { forgetPresence } from './retention.ts'

const { presence, incidents } = operations
const MINUTE = 60

let server: BootedServer
let person: Person
let device: RegisteredDevice
beforeAll(async () => {
  server = await bootServer()
  person = await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(async () => {
  await system().deleteFrom('devices').execute()
  device = await server.acceptedDevice(person)
})

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
  hasListeners: () => false,
  emit: () => undefined,
})
const LOST = { by: 'network', reason: 'keepalive' }
const up = async (uid = device.uid, address = '203.0.113.7', node = 'one') =>
  (await linkUp(ctx(), uid, node, address))?.epoch ?? 0
const down = (epoch: number, uid = device.uid, cause = LOST) => linkDown(ctx(), uid, { node: 'one', epoch }, cause)
/** Everything that has been noted happened so much earlier. */
const pass = (seconds: number) =>
  sql`update presence_spans set started_at = started_at - make_interval(secs => ${seconds}),
    ended_at = ended_at - make_interval(secs => ${seconds})`.execute(system())
const spans = () =>
  system()
    .selectFrom('presence_spans')
    .select(['started_at', 'ended_at', 'breaks', 'cause', 'network', 'node'])
    .where('device_uid', '=', device.uid)
    .orderBy('started_at')
    .execute()
const ofDevice = async (period: 'day' | 'month' = 'day') =>
  (await person.client.call(presence.ofDevice, { params: { uid: device.uid }, query: { period } })).body
const listed = async (query: { state?: 'open' | 'over' | 'all'; page?: string; per_page?: string } = {}) =>
  (await person.client.call(incidents.list, { query: query })).body

/** Accepted devices that went offline `ago` seconds ago, each a moment after the one before. */
async function departed(count: number, ago: number, network: string, over = 0): Promise<void> {
  const prefix = `${network}-${ago}`
  await sql`with made as (
      insert into devices (uid, tenant_id, name, public_key, status, disconnected_at)
        select encode(sha256(convert_to(${prefix} || i, 'UTF8')), 'hex'), ${person.tenant}::uuid,
          'unit-' || ${ago} || '-' || lpad(i::text, 4, '0'), 'key', 'accepted', now()
        from generate_series(1, ${count}::int) i returning uid)
    insert into presence_spans (tenant_id, device_uid, started_at, ended_at, cause, network)
      select ${person.tenant}::uuid, uid, now() - interval '5 hours',
        now() - make_interval(secs => ${ago}::float8 - ${over}::float8 * row_number() over () / ${count}::int),
        'network:keepalive', ${network}::cidr from made`.execute(system())
}

describe('spans of a device', () => {
  it('has no cause of an earlier end when a server ends the link that records none', async () => {
    await down(await up())
    await pass(MINUTE)
    // Servers before the column set what they know of.
    const devices = system().updateTable('devices').where('uid', '=', device.uid)
    await devices.set({ disconnected_at: null, link_node: 'older' }).execute()
    await devices.set({ disconnected_at: new Date(), link_node: '' }).execute()
    expect(await spans()).toMatchObject([{ cause: 'network:keepalive' }, { cause: '' }])
    const row = system().selectFrom('devices').select('disconnect_cause').where('uid', '=', device.uid)
    expect(await row.executeTakeFirst()).toEqual({ disconnect_cause: '' })
  })

  it('has one for each time online, with the cause and the network of its end', async () => {
    const epoch = await up()
    expect(await spans()).toMatchObject([{ ended_at: null, cause: '' }])
    await down(epoch)
    await pass(MINUTE)
    await up(device.uid, '2001:db8:1:2ff::7')
    await markOffline(ctx(), device.uid)
    expect(await spans()).toMatchObject([
      { ended_at: expect.any(Date), cause: 'network:keepalive', network: '203.0.113.0/24', node: 'one', breaks: 0 },
      { ended_at: expect.any(Date), cause: '', network: '2001:db8:1:200::/56' },
    ])
  })

  it('writes nothing for a link that replaces another, on the same node or another one', async () => {
    await up()
    await up(device.uid, '203.0.113.7', 'two')
    await up()
    expect(await spans()).toMatchObject([{ ended_at: null, breaks: 0 }])
  })

  it('counts a reconnect within seconds as a break of the same span', async () => {
    for (let time = 0; time < 20; time += 1) await down(await up())
    await up()
    expect(await spans()).toMatchObject([{ ended_at: null, breaks: 20 }])
  })

  it('stops adding spans for a device that comes and goes all day, and adds them again after longer absences', async () => {
    await sql`insert into presence_spans (tenant_id, device_uid, started_at, ended_at)
      select ${person.tenant}::uuid, ${device.uid}, now() - make_interval(mins => 2 * i),
        now() - make_interval(mins => 2 * i - 1) from generate_series(1, 100) i`.execute(system())
    await down(await up())
    const noted = await spans()
    expect(noted).toHaveLength(100)
    expect(noted.at(-1)).toMatchObject({ breaks: 1 })
    await pass(16 * MINUTE)
    await up()
    expect(await spans()).toHaveLength(101)
  })

  it('has none for a pending device, and begins with its acceptance', async () => {
    const pending = await server.registerDevice(person.tenant)
    device = pending
    await up()
    expect(await spans()).toEqual([])
    await system().updateTable('devices').set({ status: 'accepted' }).where('uid', '=', device.uid).execute()
    expect(await spans()).toMatchObject([{ ended_at: null }])
  })

  it('ends at the last heartbeat of a node that has died, once, whoever notices', async () => {
    await putNode(system(), { id: 'one', life: crypto.randomUUID(), address: '', keyPin: '', version: '1' })
    await up()
    await pass(10 * MINUTE)
    const heartbeat = sql<Date>`now() - interval '5 minutes'`
    await system().updateTable('nodes').set({ heartbeat_at: heartbeat }).where('id', '=', 'one').execute()
    await forgetLinksOf(system(), 'one')
    await forgetLinksOf(system(), 'one')
    const [span, ...others] = await spans()
    expect(others).toEqual([])
    expect(span).toMatchObject({ cause: 'gateway:node-lost', node: 'one' })
    expect((Date.now() - (span?.ended_at?.getTime() ?? 0)) / 60_000).toBeCloseTo(5, 0)
  })

  it('ends at the last heartbeat where the device comes back before anybody has noticed', async () => {
    await putNode(system(), { id: 'dead', life: crypto.randomUUID(), address: '', keyPin: '', version: '1' })
    await up(device.uid, '203.0.113.7', 'dead')
    await pass(30 * MINUTE)
    const heartbeat = sql<Date>`now() - interval '20 minutes'`
    await system().updateTable('nodes').set({ heartbeat_at: heartbeat }).where('id', '=', 'dead').execute()
    await up(device.uid, '203.0.113.7', 'two')
    expect(await spans()).toMatchObject([{ cause: 'gateway:node-lost', node: 'dead' }, { ended_at: null }])
  })

  it('are gone with the device, and after 30 days', async () => {
    await down(await up())
    await pass(30 * 86_400 + MINUTE)
    await up()
    await forgetPresence(system(), Date.now())
    expect(await spans()).toMatchObject([{ ended_at: null }])
    await person.client.call(operations.devices.remove, { params: { uid: device.uid } })
    expect(await spans()).toEqual([])
  })
})

describe('presence over HTTP', () => {
  it('tells when a device was online, and the share of the time that is known', async () => {
    const twelve = sql<Date>`now() - interval '12 hours'`
    await system()
      .updateTable('devices')
      .set({ presence_since: twelve, status_updated_at: twelve })
      .where('uid', '=', device.uid)
      .execute()
    await sql`insert into presence_spans (tenant_id, device_uid, started_at, ended_at) values
      (${person.tenant}::uuid, ${device.uid}, now() - interval '12 hours', now() - interval '6 hours'),
      (${person.tenant}::uuid, ${device.uid}, now() - interval '3 hours', null)`.execute(system())
    const day = await ofDevice()
    expect(day.share).toBeCloseTo(0.75, 2)
    expect(day.online_seconds / 3_600).toBeCloseTo(9, 1)
    expect(day.spans).toMatchObject([{ to: expect.any(String) }, { to: null }])
    expect((await ofDevice('month')).share).toBeCloseTo(0.75, 2)
    await pass(2 * 86_400)
    const later = await ofDevice()
    expect(later).toMatchObject({ share: 1, spans: [{ cause: '' }, { to: null }] })
  })

  it('takes the breaks of a span off the time online', async () => {
    const day = sql<Date>`now() - interval '10 hours'`
    await system()
      .updateTable('devices')
      .set({ presence_since: day, status_updated_at: day })
      .where('uid', '=', device.uid)
      .execute()
    await sql`insert into presence_spans (tenant_id, device_uid, started_at, breaks, away_seconds) values
      (${person.tenant}::uuid, ${device.uid}, now() - interval '10 hours', 40, 3600)`.execute(system())
    expect((await ofDevice()).share).toBeCloseTo(0.9, 2)
  })

  it('counts devices online in buckets, with the fewest in each', async () => {
    await system()
      .updateTable('devices')
      .set({ presence_since: sql<Date>`now() - interval '2 days'` })
      .execute()
    await sql`insert into presence_spans (tenant_id, device_uid, started_at, ended_at) values
      (${person.tenant}::uuid, ${device.uid}, now() - interval '40 hours', now() - interval '12 hours')`.execute(
      system(),
    )
    await departed(9, 3 * 3_600, '203.0.113.0/24')
    const { body } = await person.client.call(presence.get, { query: {} })
    expect(body.devices).toBe(10)
    expect(body.buckets).toHaveLength(96)
    expect(body.buckets[10]).toMatchObject({ online: 1, lowest: 1 })
    expect(body.buckets[60]).toMatchObject({ online: 0 })
    expect(body.buckets[80]).toMatchObject({ online: 9, lowest: 9 })
    expect(body.buckets.at(-1)).toMatchObject({ online: 0, lowest: 0 })
    const month = (await person.client.call(presence.get, { query: { period: 'month' } })).body
    expect(month.buckets).toHaveLength(120)
    expect(month.buckets[0]).toMatchObject({ online: null, lowest: null })
    const none = (await person.client.call(presence.get, { query: { list: 'containers' } })).body
    expect(none).toMatchObject({ devices: 0 })
  })

  it('hides devices of other namespaces', async () => {
    const other = await server.addPerson('other')
    await down(await up())
    await expect(other.client.call(presence.ofDevice, { params: { uid: device.uid } })).rejects.toMatchObject({
      status: 404,
    })
  })
})

describe('incidents', () => {
  it('makes one line of all devices that one network lost together, and tells how many are back', async () => {
    await departed(640, 3_600, '203.0.113.0/24', 4)
    await departed(3, 3_598, '198.51.100.0/24')
    await departed(2, 1_800, '203.0.113.0/24')
    const all = await listed()
    expect(all.map(({ devices, network, away }) => ({ devices, network, away }))).toEqual([
      { devices: 2, network: '203.0.113.0/24', away: 2 },
      { devices: 3, network: '198.51.100.0/24', away: 3 },
      { devices: 640, network: '203.0.113.0/24', away: 640 },
    ])
    const [, , large] = all
    expect(large).toMatchObject({ kind: 'network', cause: 'network:keepalive', ended_at: null })
    expect(Date.parse(large?.last_at ?? '') - Date.parse(large?.started_at ?? '')).toBeLessThanOrEqual(4_000)
    await sql`insert into presence_spans (tenant_id, device_uid, started_at)
      select tenant_id, device_uid, now() - interval '50 minutes' from presence_spans
        where ended_at < now() - interval '59 minutes 50 seconds' order by ended_at limit 600`.execute(system())
    const params = { id: large?.id ?? '' }
    expect((await person.client.call(incidents.get, { params })).body).toMatchObject({ devices: 640, away: 43 })
    const devices = await person.client.call(incidents.devices, { params, query: { per_page: '100' } })
    expect(devices.total).toBe(640)
    expect(devices.body.filter(({ back_at }) => back_at === null)).toHaveLength(43)
    expect(devices.body.slice(0, 43).every(({ back_at }) => back_at === null)).toBe(true)
  })

  it('is a filter of the device list, by the departure of any of its devices', async () => {
    await departed(5, 3_600, '203.0.113.0/24', 4)
    await departed(3, 3_598, '198.51.100.0/24')
    await departed(2, 1_800, '203.0.113.0/24')
    const [small, , large] = await listed()
    const found = async (id = '') => {
      const item = { type: 'property', params: { name: 'incident', operator: 'eq', value: id } }
      const filter = Buffer.from(JSON.stringify([item])).toString('base64')
      return (await person.client.call(operations.devices.list, { query: { filter, status: 'accepted' } })).total
    }
    expect(await found(large?.id)).toBe(5)
    expect(await found(small?.id)).toBe(2)
    expect(await found('1000000000')).toBe(0)
    await expect(found('first')).rejects.toMatchObject({ status: 400, code: 'INVALID_FILTER' })
  })

  it('is over when all devices are back', async () => {
    await down(await up())
    await pass(2 * MINUTE)
    expect(await listed({ state: 'open' })).toMatchObject([{ devices: 1, away: 1, examples: [expect.any(String)] }])
    await up()
    expect(await listed({ state: 'open' })).toEqual([])
    expect(await listed({ state: 'over' })).toMatchObject([{ devices: 1, away: 0, ended_at: expect.any(String) }])
  })

  it.each([
    ['a server that stops', { by: 'gateway', reason: 'stopped' }],
    ['a server that drains', { by: 'gateway', reason: 'draining' }],
    ['a newer connection', { by: 'gateway', reason: 'displaced' }],
  ])('is none for %s', async (_, cause) => {
    await down(await up(), device.uid, cause)
    await pass(MINUTE)
    expect(await listed()).toEqual([])
  })

  it('is one for an agent that claims to have moved', async () => {
    await down(await up(), device.uid, { by: 'agent', reason: 'moved' })
    await pass(MINUTE)
    expect(await listed()).toHaveLength(1)
  })

  it('is none for a device that is back within seconds, or has been removed', async () => {
    await down(await up())
    expect(await listed()).toEqual([])
    await pass(MINUTE)
    expect(await listed()).toHaveLength(1)
    await person.client.call(operations.devices.remove, { params: { uid: device.uid } })
    expect(await listed()).toEqual([])
  })

  it('groups the devices of a lost server, whatever their networks', async () => {
    await putNode(system(), { id: 'one', life: crypto.randomUUID(), address: '', keyPin: '', version: '1' })
    const other = await server.acceptedDevice(person)
    await up()
    await up(other.uid, '198.51.100.9')
    await forgetLinksOf(system(), 'one')
    await pass(MINUTE)
    expect(await listed()).toMatchObject([{ kind: 'server', network: null, devices: 2, cause: 'gateway:node-lost' }])
  })

  it('pages, and knows no incident of another namespace', async () => {
    for (const minutes of [10, 20, 30]) await departed(1, minutes * MINUTE, '203.0.113.0/24')
    const page = await person.client.call(incidents.list, { query: { page: '2', per_page: '2' } })
    expect(page.total).toBe(3)
    expect(page.body).toHaveLength(1)
    const other = await server.addPerson('stranger')
    const params = { id: page.body[0]?.id ?? '' }
    await expect(other.client.call(incidents.get, { params })).rejects.toMatchObject({ status: 404 })
    await expect(other.client.call(incidents.devices, { params })).rejects.toMatchObject({ status: 404 })
    expect((await other.client.call(incidents.list, { query: {} })).body).toEqual([])
  })
})

it('answers about 10,000 devices with a month of spans', async () => {
  await sql`insert into devices (uid, tenant_id, name, public_key, status, disconnected_at, presence_since)
    select encode(sha256(convert_to('many' || i, 'UTF8')), 'hex'), ${person.tenant}::uuid, 'many-' || i, 'key', 'accepted',
      now(), now() - interval '40 days' from generate_series(1, 10000) i`.execute(system())
  await sql`insert into presence_spans (tenant_id, device_uid, started_at, ended_at, cause, network)
    select tenant_id, uid, now() - make_interval(hours => 72 * n), case when n > 1 or right(uid, 1) < '3' then
      now() - make_interval(hours => 72 * n - 70, secs => random() * 3600) end,
      'network:keepalive', ('10.' || ascii(uid) || '.' || ascii(right(uid, 1)) || '.0/24')::cidr
    from devices, generate_series(1, 10) n where name like 'many-%'`.execute(system())
  // As autovacuum does within a minute.
  await asOwner(server.owner, (client) => client.query('analyze presence_spans, devices'))
  const uid = DeviceUid.parse(device.uid)
  const { body } = await person.client.call(presence.get, { query: { period: 'month' } })
  expect(body.devices).toBe(10_001)
  expect(body.buckets.at(-1)?.online).toBeGreaterThan(5_000)
  expect((await person.client.call(incidents.list, { query: {} })).total).toBeGreaterThan(0)
  expect((await person.client.call(presence.ofDevice, { params: { uid } })).body.spans).toEqual([])
})
