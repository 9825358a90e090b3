// Sessions counted by device and by person, over HTTP.
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, type Person, type RegisteredDevice, bootServer } from '../testing/boot.ts'

const { sessions } = operations
let server: BootedServer
let ada: Person
let kiosk: RegisteredDevice
let shed: RegisteredDevice
beforeAll(async () => {
  server = await bootServer()
  ada = await server.setUpAccount()
  kiosk = await server.acceptedDevice(ada, { hostname: 'kiosk' })
  shed = await server.acceptedDevice(ada, { hostname: 'shed' })
  await add('1', kiosk, { authenticated: true, active: true, person_id: ada.id, person: 'old@example.com' })
  await add('2', kiosk, { authenticated: true, username: 'deploy' })
  await add('3', shed, { authenticated: true, active: true, person_id: ada.id, person: 'new@example.com' })
  await add('4', kiosk, {})
})
afterAll(() => server.close())

async function add(digit: string, device: RegisteredDevice, values: object): Promise<void> {
  const row = { uid: SessionUid.parse(digit.repeat(64)), tenant_id: ada.tenant, device_uid: device.uid }
  const login = { username: 'root', ip_address: '192.0.2.9', type: 'term' as const }
  const started_at = new Date(`2026-11-0${digit}T00:00:00Z`)
  await server.database
    .system()
    .insertInto('sessions')
    .values({ ...row, ...login, started_at, last_seen: started_at, ...values })
    .execute()
}

const filterBy = (name: string, operator: string, value: unknown) =>
  Buffer.from(JSON.stringify([{ type: 'property', params: { name, operator, value } }])).toString('base64')

async function groups(query: {
  by: 'device' | 'person'
  filter?: string
  sort_by?: 'sessions' | 'active' | 'last_started_at'
  order_by?: 'asc' | 'desc'
  page?: string
  per_page?: string
}) {
  const { body, total } = await ada.client.call(sessions.groups, { query })
  return { body, total, names: body.map(({ device, person }) => device?.name ?? person?.name ?? null) }
}

it('counts the sessions of each device, those that run, and its last begin', async () => {
  const { body, total } = await groups({ by: 'device' })
  expect(total).toBe(2)
  expect(body).toEqual([
    {
      device: { uid: kiosk.uid, name: 'kiosk', online: false },
      person: null,
      sessions: 3,
      active: 1,
      last_started_at: '2026-11-04T00:00:00.000Z',
    },
    {
      device: { uid: shed.uid, name: 'shed', online: false },
      person: null,
      sessions: 1,
      active: 1,
      last_started_at: '2026-11-03T00:00:00.000Z',
    },
  ])
})

it('counts those of a person by account under the latest name, and those that name nobody as one group', async () => {
  const { body, names } = await groups({ by: 'person', sort_by: 'active' })
  expect(names).toEqual(['new@example.com', null])
  expect(body[0]).toMatchObject({ device: null, person: { id: ada.id }, sessions: 2, active: 2 })
  expect(body[1]).toMatchObject({ device: null, person: null, sessions: 2, active: 0 })
  const { body: nobodys } = await ada.client.call(sessions.list, {
    query: { filter: filterBy('person_known', 'bool', false) },
  })
  expect(new Set(nobodys.map(({ uid }) => uid[0]))).toEqual(new Set(['2', '4']))
})

it('counts only what the filter lets through', async () => {
  const { body, total } = await groups({ by: 'device', filter: filterBy('authenticated', 'bool', true) })
  expect([total, new Set(body.map((one) => one.sessions))]).toEqual([2, new Set([1, 2])])
  expect((await groups({ by: 'device', filter: filterBy('username', 'eq', 'deploy') })).names).toEqual(['kiosk'])
})

it('sorts both ways, and knows the total on every page and behind the last', async () => {
  expect((await groups({ by: 'device', sort_by: 'sessions', order_by: 'asc' })).names).toEqual(['shed', 'kiosk'])
  const page = async (number: string) => {
    const { names, total } = await groups({ by: 'device', sort_by: 'sessions', page: number, per_page: '1' })
    return [...names, total]
  }
  expect([await page('1'), await page('2'), await page('3')]).toEqual([['kiosk', 2], ['shed', 2], [2]])
})

it('counts nothing of other namespaces', async () => {
  const other = await server.addPerson('other')
  const { body, total } = await other.client.call(sessions.groups, { query: { by: 'device' } })
  expect([body, total]).toEqual([[], 0])
})
