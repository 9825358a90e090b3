// Narrowing, sorting and exporting device lists.
import { operations } from '@bowline/contract/operations'
import { Device } from '@bowline/contract/schemas/device'
import { searchConditions } from '@bowline/contract/schemas/lists/device-search'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'

let server: BootedServer
let person: Person
const { devices } = operations

beforeAll(async () => {
  server = await bootServer()
  person = await server.setUpAccount()
  await sql`insert into devices (uid, tenant_id, name, mac, info, public_key, status, remote_addr, tags, last_seen, disconnected_at)
    select encode(sha256(convert_to('listed' || i, 'UTF8')), 'hex'), ${person.tenant}::uuid, 'unit-' || lpad(i::text, 3, '0'),
      'aa:00:00:00:00:' || lpad(to_hex(i), 2, '0'),
      jsonb_build_object('id', 'x', 'pretty_name', case when i % 2 = 0 then 'Debian 12' else 'Alpine 3.22' end,
        'version', '0.' || i % 3 || '.0', 'arch', case when i % 5 = 0 then 'arm64' else 'x64' end, 'platform', 'native'),
      'key', 'accepted', '192.0.2.' || i, case when i % 4 = 0 then '{floor-1,kiosk}'::text[] else '{floor-2}' end,
      now() - make_interval(days => i), case when i % 10 > 0 then now() end
    from generate_series(1, 40) as i`.execute(server.database.system())
})
afterAll(() => server.close())

const encode = (items: unknown) => Buffer.from(JSON.stringify(items)).toString('base64')
const where = (name: string, operator: string, value: unknown) => ({
  type: 'property',
  params: { name, operator, value },
})

async function names(query: Record<string, string>): Promise<string[]> {
  const { body } = await person.client.call(devices.list, {
    query: { per_page: '100', sort_by: 'name', order_by: 'asc', ...query },
  })
  return body.map(({ name }) => name)
}
const found = (...items: unknown[]) => names({ filter: encode(items) })

describe('sorting by the time a device was last seen', () => {
  it('has those that are online first, whatever is stored of them', async () => {
    const db = server.database.system()
    await sql`update devices set last_seen = now() where name = 'unit-001'`.execute(db)
    // The links of a node are renewed together, the rows of their devices are not.
    await sql`update devices set last_seen = now() - interval '90 seconds' where name = 'unit-040'`.execute(db)
    const seen = (order_by: string) => names({ sort_by: 'last_seen', order_by })
    expect((await seen('desc')).slice(0, 3)).toEqual(['unit-040', 'unit-001', 'unit-002'])
    expect((await seen('asc')).slice(-3)).toEqual(['unit-002', 'unit-001', 'unit-040'])
    await sql`update devices set last_seen = now() - make_interval(days => right(name, 3)::int)
      where name in ('unit-001', 'unit-040')`.execute(db)
  })
})

describe('searching devices', () => {
  it.each([
    ['a name', 'UNIT-007', ['unit-007']],
    ['an address', '192.0.2.31', ['unit-031']],
    ['a MAC address', 'AA:00:00:00:00:1f', ['unit-031']],
    [
      'a tag',
      'floor-1',
      [
        'unit-004',
        'unit-008',
        'unit-012',
        'unit-016',
        'unit-020',
        'unit-024',
        'unit-028',
        'unit-032',
        'unit-036',
        'unit-040',
      ],
    ],
    [
      'an architecture',
      'arm64',
      ['unit-005', 'unit-010', 'unit-015', 'unit-020', 'unit-025', 'unit-030', 'unit-035', 'unit-040'],
    ],
  ])('finds devices by %s', async (_, word, expected) => {
    expect(await found(where('words', 'contains', word))).toEqual(expected)
  })

  it('requires every word, whatever it is found in', async () => {
    expect(await found(where('words', 'contains', 'kiosk'), where('words', 'contains', 'arm64'))).toEqual([
      'unit-020',
      'unit-040',
    ])
  })

  it.each([
    ['-os:alpine', (i: number) => i % 2 === 0],
    ['-os:"debian 12"', (i: number) => i % 2 > 0],
    ['-name:unit-0', () => false],
    ['-name:UNIT-01', (i: number) => i < 10 || i > 19],
    ['-ip:192.0.2.1', (i: number) => i !== 1],
    ['-ip:0.2.1', (i: number) => i !== 1 && (i < 10 || i > 19)],
    ['-mac:00:1', (i: number) => i < 16 || i > 31],
    // None has a note.
    ['-note:rack', () => true],
    ['-kiosk', (i: number) => i % 4 > 0],
    ['-kiosk -arm64 os:debian', (i: number) => i % 4 > 0 && i % 5 > 0 && i % 2 === 0],
    ['-', () => true],
  ])('finds for %s the others', async (search, isFound) => {
    const expected = Array.from({ length: 40 }, (_, i) => i + 1).filter(isFound)
    expect(await found(...searchConditions(search))).toEqual(expected.map((i) => `unit-${String(i).padStart(3, '0')}`))
  })

  it('finds devices without a value among the others', async () => {
    const system = server.database.system()
    const info = (name: string) => sql`update devices set info = ${name}::jsonb where name = 'unit-001'`.execute(system)
    const { rows } = await sql<{ info: string }>`select info::text from devices where name = 'unit-001'`.execute(system)
    await info('{"id":"","pretty_name":null,"version":"","arch":"","platform":"native"}')
    expect(await found(...searchConditions('-os:alpine -os:debian'))).toEqual(['unit-001'])
    await info(rows[0]?.info ?? '')
    expect(await found(...searchConditions('-os:alpine -os:debian'))).toEqual([])
  })

  it('finds devices by what is noted about them, and returns it', async () => {
    const [first] = (await person.client.call(devices.list, { query: { sort_by: 'name', order_by: 'asc' } })).body
    if (!first) throw new Error('no device')
    const body = { note: 'Behind the false wall.\nAsk Ada.', fields: { Inventory: 'BX-4711' } }
    await person.client.call(devices.update, { params: { uid: first.uid }, body })
    expect(await found(where('words', 'contains', 'false wall'))).toEqual([first.name])
    expect(await found(where('words', 'contains', 'bx-4711'))).toEqual([first.name])
    const after = (await person.client.call(devices.get, { params: { uid: first.uid } })).body
    expect(after).toMatchObject({ ...body, name: first.name })
    await person.client.call(devices.update, { params: { uid: first.uid }, body: { fields: {} } })
    expect((await person.client.call(devices.get, { params: { uid: first.uid } })).body).toMatchObject({
      note: body.note,
      fields: {},
    })
  })

  it.each([
    ['a name of a field that is too long', { fields: { ['n'.repeat(41)]: 'x' } }],
    ['too many fields', { fields: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`f${i}`, 'x'])) }],
    ['a note that is too long', { note: 'x'.repeat(2_001) }],
  ])('refuses %s', async (_, body) => {
    const [first] = (await person.client.call(devices.list, { query: {} })).body
    if (!first) throw new Error('no device')
    await expect(person.client.call(devices.update, { params: { uid: first.uid }, body })).rejects.toMatchObject({
      status: 400,
    })
  })
})

describe('the order of names', () => {
  it('counts as people do, in both directions and over pages', async () => {
    const db = server.database.system()
    await sql`insert into devices (uid, tenant_id, name, mac, info, public_key, status, tags)
      select replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), ${person.tenant},
        'rack-' || i || '-2', '02:00:00:00:00:' || lpad(to_hex(i), 2, '0'), '{}', 'key', 'rejected', '{}'
      from unnest(array[100, 9, 10, 1, 2]) as i`.execute(db)
    const ascending = ['rack-1-2', 'rack-2-2', 'rack-9-2', 'rack-10-2', 'rack-100-2']
    expect(await names({ status: 'rejected' })).toEqual(ascending)
    expect(await names({ status: 'rejected', order_by: 'desc' })).toEqual(ascending.toReversed())
    expect(await names({ status: 'rejected', per_page: '2', page: '2' })).toEqual(ascending.slice(2, 4))
  })
})

describe('values to narrow a list by', () => {
  it('counts the values of a property among the devices that match', async () => {
    const filter = encode([where('info.arch', 'eq', 'arm64')])
    const { body } = await person.client.call(devices.facets, { query: { by: 'tag', filter } })
    expect(body).toEqual([
      { value: 'floor-2', count: 6 },
      { value: 'floor-1', count: 2 },
      { value: 'kiosk', count: 2 },
    ])
    const presence = await person.client.call(devices.facets, { query: { by: 'online' } })
    // A device that nobody has disconnected is online while its node lives, or shortly after it was seen.
    expect(presence.body.reduce((sum, { count }) => sum + count, 0)).toBe(40)
  })
})

describe('devices whose host key has changed', () => {
  it('are counted beside those that present the accepted one, and are what the filter finds', async () => {
    await sql`update devices set ssh_host_key = 'ssh-ed25519 AAAA',
      presented_host_key = case when name < 'unit-003' then 'ssh-ed25519 BBBB' end,
      presented_host_key_at = case when name < 'unit-003' then now() end
      where tenant_id = ${person.tenant} and name < 'unit-006'`.execute(server.database.system())
    const { body } = await person.client.call(devices.facets, { query: { by: 'host_key' } })
    expect(body).toEqual([
      { value: 'unchanged', count: 3 },
      { value: 'changed', count: 2 },
    ])
    expect(await found(where('host_key_changed', 'bool', true))).toEqual(['unit-001', 'unit-002'])
  })
})

describe('orders of a list', () => {
  it.each(['online', 'address', 'mac', 'system', 'arch', 'version', 'tags'] as const)(
    'sorts by %s in both directions, each exactly the other one reversed',
    async (sort_by) => {
      const up = await names({ sort_by, order_by: 'asc' })
      expect(up).toHaveLength(40)
      expect(await names({ sort_by, order_by: 'desc' })).toEqual(up.toReversed())
    },
  )
})

describe('exporting what matches', () => {
  const exported = (query: string) =>
    server.fetch(`/api/devices/export?${query}`, { headers: { authorization: `Bearer ${person.auth.token}` } })

  it('writes every device that matches as JSON lines, in the order of the list', async () => {
    const filter = encodeURIComponent(encode([where('tags', 'contains', ['kiosk'])]))
    const response = await exported(`format=jsonl&sort_by=name&order_by=asc&filter=${filter}`)
    expect(response.headers.get('content-disposition')).toContain('devices.jsonl')
    const lines = (await response.text()).trimEnd().split('\n')
    const expected = await found(where('tags', 'contains', ['kiosk']))
    expect(lines.map((line) => Device.parse(JSON.parse(line)).name)).toEqual(expected)
  })

  it('writes CSV that spreadsheets run nothing of', async () => {
    const [first] = (await person.client.call(devices.list, { query: { sort_by: 'name', order_by: 'asc' } })).body
    if (!first) throw new Error('no device')
    await person.client.call(devices.update, { params: { uid: first.uid }, body: { note: '=HYPERLINK("x")' } })
    const lines = (await (await exported('format=csv&sort_by=name&order_by=asc')).text()).trimEnd().split('\r\n')
    expect(lines).toHaveLength(41)
    expect(lines[0]).toMatch(/^"name","uid","status"/)
    expect(lines[1]).toContain(`"'=HYPERLINK(""x"")"`)
  })
})
