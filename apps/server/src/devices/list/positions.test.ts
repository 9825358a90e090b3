// The map: cells with their devices, positions that people set, and what finds the devices of a cell.
import { operations } from '@bowline/contract/operations'
import { DeviceUid } from '@bowline/contract/schemas/common'
import { MAP_CELLS } from '@bowline/contract/schemas/device'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../../testing/boot.ts'

const { devices } = operations
let server: BootedServer
let person: Person

/** Name, latitude, longitude, whether it is online, status. */
const PLACES = [
  ['berlin-1', 52.52, 13.4, true, 'accepted'],
  ['berlin-2', 52.5, 13.44, false, 'accepted'],
  ['paris', 48.86, 2.35, true, 'accepted'],
  ['suva', -18.14, 178.44, false, 'accepted'],
  ['samoa', -13.83, -171.77, true, 'accepted'],
  ['quito', -0.18, -78.47, true, 'accepted'],
  ['nowhere', 0, 0, true, 'accepted'],
  ['waiting', 52.5, 13.4, false, 'pending'],
] as const

beforeAll(async () => {
  server = await bootServer()
  person = await server.setUpAccount()
  const other = await server.addPerson('other')
  for (const place of PLACES) await insert(person, place)
  await insert(other, ['elsewhere', 52.5, 13.4, true, 'accepted'])
})
afterAll(() => server.close())

function insert(
  of: Person,
  [name, latitude, longitude, isOnline, status]: (typeof PLACES)[number] | readonly unknown[],
) {
  return sql`insert into devices (uid, tenant_id, name, mac, info, public_key, status, latitude, longitude, tags, last_seen,
      disconnected_at)
    values (encode(sha256(convert_to(${name}, 'UTF8')), 'hex'), ${of.tenant}::uuid, ${name}, null, '{}', 'key', ${status},
      ${latitude}, ${longitude}, case when ${name} like 'berlin%' then '{city}'::text[] else '{}' end, now(),
      case when not ${isOnline}::boolean then now() end)`.execute(server.database.system())
}

const encode = (...items: unknown[]) => Buffer.from(JSON.stringify(items)).toString('base64')
const where = (name: string, operator: string, value: unknown) => ({
  type: 'property',
  params: { name, operator, value },
})
const map = async (query: Record<string, string> = {}) => (await person.client.call(devices.positions, { query })).body
async function inCell(cell: string): Promise<string[]> {
  const query = { filter: encode(where('cell', 'eq', cell)), sort_by: 'name', order_by: 'asc' } as const
  return (await person.client.call(devices.list, { query })).body.map(({ name }) => name)
}
async function uidOf(name: string): Promise<DeviceUid> {
  const row = await server.database
    .system()
    .selectFrom('devices')
    .select('uid')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return DeviceUid.parse(row.uid)
}

describe('the map', () => {
  it('counts accepted devices in cells, those with the most first, and those that nobody can place', async () => {
    // Equally many: from the south and the west.
    const { cells, ...rest } = await map()
    expect(rest).toEqual({ omitted: 0, outside: 0, unknown: 1 })
    expect(cells.map(({ online, offline }) => [online, offline])).toEqual([
      [1, 1],
      [1, 0],
      [0, 1],
      [1, 0],
      [1, 0],
    ])
    expect(cells[0]?.latitude).toBeCloseTo(52.51)
    expect(cells[0]?.longitude).toBeCloseTo(13.42)
  })

  it('finds the devices of each cell, at every size', async () => {
    const found: Record<string, string[][]> = {}
    for (const step of ['30', '1', '0.01']) {
      const { cells } = await map({ step })
      found[step] = await Promise.all(cells.map(({ cell }) => inCell(cell)))
    }
    const all = ['berlin-1', 'berlin-2', 'paris', 'quito', 'samoa', 'suva']
    for (const names of Object.values(found)) expect(names.flat().toSorted()).toEqual(all)
    expect(found['30']).toContainEqual(['berlin-1', 'berlin-2', 'paris'])
    expect(found['1']).toContainEqual(['berlin-1', 'berlin-2'])
    expect(found['0.01']).toHaveLength(all.length)
  })

  it('leaves out of the cells what is outside of the box, which may cross the date line', async () => {
    const europe = await map({ box: '-10,40,30,60' })
    expect(europe).toMatchObject({ cells: [{ online: 1, offline: 1 }, { online: 1 }], outside: 3, unknown: 1 })
    const pacific = await map({ box: '170,-30,-160,0', step: '1' })
    expect(pacific.cells).toHaveLength(2)
    expect(pacific.outside).toBe(4)
  })

  it('has the devices that the filter of the list finds', async () => {
    const online = await map({ filter: encode(where('online', 'bool', true)) })
    expect(online.cells.every(({ offline }) => offline === 0)).toBe(true)
    expect(online.unknown).toBe(1)
    const tagged = await map({ filter: encode(where('tags', 'contains', ['city'])) })
    expect(tagged).toMatchObject({ cells: [{ online: 1, offline: 1 }], outside: 0, unknown: 0 })
    expect((await map({ status: 'pending' })).cells).toHaveLength(1)
  })

  it('is what every member may see, of their own namespace only', async () => {
    const observer = await server.addPerson('observer')
    await server.addMember(person.tenant, observer.id, 'observer')
    expect((await observer.client.call(devices.positions, {})).body.cells).toEqual([])
    const { body } = await observer.client.call(operations.auth.switchNamespace, { params: { tenant: person.tenant } })
    expect((await server.client(body.token).call(devices.positions, {})).body.cells).toHaveLength(5)
  })

  it.each([
    ['step', { step: '7' }, '400 INVALID_INPUT step'],
    ['box', { box: '1,2,3' }, '400 INVALID_INPUT box'],
    ['box that is not on the globe', { box: '0,0,200,10' }, '400 INVALID_INPUT box'],
    ['box upside down', { box: '0,10,10,0' }, '400 INVALID_INPUT box'],
    ['filter', { filter: 'x' }, '400 INVALID_FILTER filter'],
  ])('refuses a %s that it does not know', async (_, query, answer) => {
    expect(await outcome(person.client.call(devices.positions, { query: query as never }))).toBe(answer)
  })

  it.each(['1:2', '1:2:7', '1:2:0.1.1', 'x', '1:2:30; drop table devices'])(
    'refuses %s as a cell of the list',
    async (cell) => {
      const query = { filter: encode(where('cell', 'eq', cell)) }
      expect(await outcome(person.client.call(devices.list, { query }))).toMatch(/^400 INVALID_FILTER/)
    },
  )
})

describe('a position that a person sets', () => {
  const change = (uid: DeviceUid, position: unknown) =>
    person.client.call(devices.update, { params: { uid }, body: { position } as never })

  it('wins over the one of the address until it is cleared, and is in the audit log', async () => {
    const uid = await uidOf('paris')
    const oslo = { latitude: 59.91, longitude: 10.75 }
    await change(uid, oslo)
    expect((await person.client.call(devices.get, { params: { uid } })).body).toMatchObject({
      position: oslo,
      placed: true,
    })
    const { cells } = await map({ box: '10,59,11,60', step: '1' })
    expect(cells).toMatchObject([{ ...oslo, online: 1, offline: 0 }])
    expect(await inCell(cells[0]?.cell ?? '')).toEqual(['paris'])
    // A change of something else leaves it.
    await person.client.call(devices.update, { params: { uid }, body: { note: 'moved' } })
    expect((await person.client.call(devices.get, { params: { uid } })).body.position).toEqual(oslo)
    await change(uid, null)
    const { body } = await person.client.call(devices.get, { params: { uid } })
    expect(body.position).toEqual({ latitude: 48.86, longitude: 2.35 })
    expect(body.placed).toBeUndefined()
    const log = (await person.client.call(operations.audit.list, { query: { per_page: '100' } })).body
    const changes = log.filter(({ action, target }) => action === 'device.update' && target === uid)
    expect(changes.map(({ details }) => (details['after'] as { position?: unknown }).position)).toEqual([
      null,
      undefined,
      oslo,
    ])
  })

  it.each([
    ['beyond the pole', { latitude: 90.1, longitude: 0 }],
    ['beyond the date line', { latitude: 0, longitude: -180.5 }],
    ['0, 0', { latitude: 0, longitude: 0 }],
    ['half', { latitude: 1 }],
  ])('is refused: %s', async (_, position) => {
    expect(await outcome(change(await uidOf('suva'), position))).toMatch(/^400 INVALID_INPUT position/)
  })

  it('is for operators, as renaming is', async () => {
    const uid = await uidOf('suva')
    const answers: Record<string, string> = {}
    for (const role of ['observer', 'operator'] as const) {
      const member = await server.addPerson(`a-${role}`)
      await server.addMember(person.tenant, member.id, role)
      const { tenant } = person
      const { body } = await member.client.call(operations.auth.switchNamespace, { params: { tenant } })
      const position = { latitude: -18, longitude: 178 }
      answers[role] = await outcome(
        server.client(body.token).call(devices.update, { params: { uid }, body: { position } }),
      )
    }
    expect(answers).toEqual({ observer: '403 FORBIDDEN', operator: '200' })
  })
})

it('answers with a bounded number of cells, and says how many devices are in the others', async () => {
  const crowd = await server.addPerson('crowd')
  await sql`insert into devices (uid, tenant_id, name, mac, info, public_key, status, latitude, longitude, last_seen)
    select encode(sha256(convert_to('crowd' || i, 'UTF8')), 'hex'), ${crowd.tenant}::uuid, 'unit-' || i, null, '{}', 'key',
      'accepted', (i / 60) * 2 - 60.5, (i % 60) * 5 - 150.5, now()
    from generate_series(0, ${MAP_CELLS + 49}) as i`.execute(server.database.system())
  const { body } = await crowd.client.call(devices.positions, { query: { step: '0.1' } })
  expect(body.cells).toHaveLength(MAP_CELLS)
  expect(body).toMatchObject({ omitted: 50, outside: 0, unknown: 0 })
})
