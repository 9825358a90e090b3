// API keys over HTTP: creation, reach and expiry.
import { createHash, randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { ROLES, type Role } from '@bowline/contract/roles'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Client, type Person, bootServer, outcome } from '../testing/boot.ts'

const { apiKeys, auth, devices } = operations
let clock: ManualClock
let server: BootedServer
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock })
  await server.setUpAccount()
})
afterAll(() => server.close())

const newcomer = () => server.addPerson(`p${randomUUID().slice(0, 8)}`)
interface Body {
  readonly name: string
  readonly expires_at?: -1 | 30 | 60 | 90 | 365
  readonly role?: Role
  readonly key?: string
}
const body = (values: Body) => ({ ...values, expires_at: values.expires_at ?? -1 })
const create = async (client: Client, values: Body) => (await client.call(apiKeys.create, { body: body(values) })).body
const statusOf = async (key: string, path = '/api/stats', headers: Record<string, string> = {}) =>
  (await server.fetch(path, { headers: { 'x-api-key': key, ...headers } })).status

/** A client of a new member with that role. */
async function memberOf(owner: Person, role: Role): Promise<{ person: Person; client: Client }> {
  const person = await newcomer()
  await server.addMember(owner.tenant, person.id, role)
  const answer = await person.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })
  return { person, client: server.client(answer.body.token) }
}

describe('new key', () => {
  it('returns the new key once and stores only its SHA-256', async () => {
    const owner = await newcomer()
    const key = await create(owner.client, { name: 'machine', role: 'operator' })
    expect(key).toMatchObject({
      name: 'machine',
      tenant_id: owner.tenant,
      role: 'operator',
      created_by: owner.id,
      user_id: owner.id,
      expires_in: -1,
    })
    expect(key.id).toMatch(/^[0-9a-f-]{36}$/)
    const listed = await server.fetch('/api/namespaces/api-key', {
      headers: { authorization: `Bearer ${owner.auth.token}` },
    })
    expect(await listed.text()).not.toContain(key.id)
    const row = await server.database
      .forTenant(owner.tenant)
      .selectFrom('api_keys')
      .selectAll()
      .executeTakeFirstOrThrow()
    expect(row.key_hash).toEqual(createHash('sha256').update(key.id).digest())
    expect(await statusOf(key.id)).toBe(200)
  })

  it('requires a key name unique in the namespace and a key value unique everywhere', async () => {
    const [owner, other] = [await newcomer(), await newcomer()]
    const key = randomUUID()
    await create(owner.client, { name: 'machine', key })
    expect(await outcome(create(owner.client, { name: 'machine' }))).toBe('409 CONFLICT name')
    expect(await outcome(create(other.client, { name: 'machine', key }))).toBe('409 CONFLICT key')
    expect(await outcome(create(other.client, { name: 'machine' }))).toBe('200')
    const racing = Array.from({ length: 4 }, () => outcome(create(owner.client, { name: 'wanted' })))
    expect((await Promise.all(racing)).filter((one) => one === '200')).toHaveLength(1)
  })

  it.each([
    ['administrator', 'owner', '403 ROLE_TOO_HIGH'],
    ['owner', 'owner', '403 ROLE_TOO_HIGH'],
    ['administrator', 'administrator', '200'],
    ['owner', 'administrator', '200'],
    ['operator', 'observer', '403 FORBIDDEN'],
    ['observer', 'observer', '403 FORBIDDEN'],
  ] as const)('creates a key as %s with the role %s: %s', async (own, role, expected) => {
    const owner = await newcomer()
    const client = own === 'owner' ? owner.client : (await memberOf(owner, own)).client
    expect(await outcome(create(client, { name: 'machine', role }))).toBe(expected)
  })

  it('defaults the role of a new key to its creator’s, capped below owner', async () => {
    const owner = await newcomer()
    expect((await create(owner.client, { name: 'machine' })).role).toBe('administrator')
  })

  it.each([
    [{ name: 'ab' }, 'name'],
    [{ name: 'a'.repeat(21) }, 'name'],
    [{ name: 'machine', expires_at: 31 as never }, 'expires_at'],
    [{ name: 'machine', key: 'no-uuid' }, 'key'],
  ])('refuses a key with %o', async (values, field) => {
    const owner = await newcomer()
    expect(await outcome(create(owner.client, values))).toBe(`400 INVALID_INPUT ${field}`)
  })
})

describe('reach of a key', () => {
  it.each(ROLES.filter((role) => role !== 'owner'))('caps a key at its creator’s current role %s', async (now) => {
    const owner = await newcomer()
    const { person, client } = await memberOf(owner, 'administrator')
    const { id } = await create(client, { name: 'machine', role: 'administrator' })
    const params = { tenant: owner.tenant, uid: person.id }
    await owner.client.call(operations.members.update, { params, body: { role: now } })
    const device = await server.acceptedDevice(owner)
    const rename = await server.fetch(`/api/devices/${device.uid}`, {
      method: 'PUT',
      headers: { 'x-api-key': id, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'renamed' }),
    })
    expect(rename.status).toBe(now === 'observer' ? 403 : 200)
    const removal = await server.fetch(`/api/devices/${device.uid}`, { method: 'DELETE', headers: { 'x-api-key': id } })
    expect(removal.status).toBe(now === 'administrator' ? 200 : 403)
  })

  it('confines a key to its own namespace and ignores an accompanying bearer token', async () => {
    const [owner, other] = [await newcomer(), await newcomer()]
    const { id } = await create(owner.client, { name: 'machine' })
    const device = await server.acceptedDevice(owner)
    const bearer = { authorization: `Bearer ${other.auth.token}` }
    expect(await statusOf(id, `/api/devices/${device.uid}`, bearer)).toBe(200)
    expect(await statusOf(id, '/api/auth/user', bearer)).toBe(403)
    expect(await statusOf(id, `/api/namespaces/${other.tenant}`, bearer)).toBe(404)
    // A valid token does not make up for a wrong key.
    expect(await statusOf(randomUUID(), '/api/stats', bearer)).toBe(401)
    expect(await outcome(other.client.call(devices.get, { params: { uid: device.uid } }))).toBe('404 NOT_FOUND')
  })
})

describe('end of a key', () => {
  it.each([30, 60, 90, 365] as const)('expires a key after %i days, to the second', async (days) => {
    const owner = await newcomer()
    const { id, expires_in } = await create(owner.client, { name: 'machine', expires_at: days })
    const end = new Date(clock.now())
    // Existing clients treat 365 days as a calendar year.
    if (days === 365) end.setUTCFullYear(end.getUTCFullYear() + 1)
    else end.setUTCDate(end.getUTCDate() + days)
    expect(expires_in).toBe(Math.floor(end.getTime() / 1_000))
    clock.advance(end.getTime() - clock.now() - 1)
    expect(await statusOf(id)).toBe(200)
    clock.advance(1)
    expect(await statusOf(id)).toBe(401)
  })

  it('revokes a key at once when it is deleted', async () => {
    const owner = await newcomer()
    const { id } = await create(owner.client, { name: 'machine' })
    expect(await statusOf(id)).toBe(200)
    await owner.client.call(apiKeys.remove, { params: { key: 'machine' } })
    expect(await statusOf(id)).toBe(401)
    expect(await outcome(owner.client.call(apiKeys.remove, { params: { key: 'machine' } }))).toBe('404 NOT_FOUND')
  })
})

describe('changing a key', () => {
  it('updates name and role of a key, but grants no role above one’s own', async () => {
    const owner = await newcomer()
    await create(owner.client, { name: 'first', role: 'observer' })
    await create(owner.client, { name: 'second', role: 'observer' })
    const update = (key: string, values: { name?: string; role?: Role }) =>
      outcome(owner.client.call(apiKeys.update, { params: { key }, body: values }))
    expect(await update('first', { name: 'first', role: 'operator' })).toBe('200')
    expect(await update('first', { name: 'second' })).toBe('409 CONFLICT name')
    expect(await update('first', { role: 'owner' })).toBe('403 ROLE_TOO_HIGH')
    expect(await update('nothing', { name: 'third' })).toBe('404 NOT_FOUND')
    expect(await update('first', { name: 'third' })).toBe('200')
    const { body: keys } = await owner.client.call(apiKeys.list, { query: { sort_by: 'name', order_by: 'asc' } })
    expect(keys.map(({ name, role }) => [name, role])).toEqual([
      ['second', 'observer'],
      ['third', 'operator'],
    ])
  })
})

describe('list of keys', () => {
  it('sorts keys by expiry by default, with never-expiring keys as the lowest (-1)', async () => {
    const owner = await newcomer()
    await create(owner.client, { name: 'never' })
    await create(owner.client, { name: 'month', expires_at: 30 })
    await create(owner.client, { name: 'year', expires_at: 365 })
    const names = async (query: Record<string, string>) =>
      (await owner.client.call(apiKeys.list, { query })).body.map(({ name }) => name)
    expect(await names({})).toEqual(['year', 'month', 'never'])
    expect(await names({ order_by: 'asc' })).toEqual(['never', 'month', 'year'])
    expect(await names({ sort_by: 'name', order_by: 'asc', per_page: '2' })).toEqual(['month', 'never'])
    expect(await outcome(names({ order_by: 'sideways' }))).toBe('400 INVALID_INPUT order_by')
  })
})
