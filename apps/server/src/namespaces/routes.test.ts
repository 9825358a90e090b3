// Namespaces over HTTP: creating, changing and deleting them.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'

const { namespaces } = operations
let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
})
afterAll(() => server.close())

const unique = (prefix: string) => `${prefix}${randomUUID().slice(0, 8)}`
const newcomer = () => server.addPerson(unique('p'))
const create = async (person: Person, body: { name: string; tenant?: string; type?: 'personal' | 'team' }) =>
  (await person.client.call(namespaces.create, { body })).body
const filter = (items: unknown) => Buffer.from(JSON.stringify(items)).toString('base64')

describe('creating a namespace', () => {
  it('creates a namespace owned by the caller, without device limit and with recording on', async () => {
    const person = await newcomer()
    const name = unique('n')
    expect(await create(person, { name: name.toUpperCase() })).toMatchObject({
      name,
      owner: person.id,
      members: [{ id: person.id, role: 'owner', status: 'accepted', expires_at: '0001-01-01T00:00:00Z' }],
      settings: { session_record: true },
      max_devices: -1,
      devices_count: 0,
      device_count: 0,
      billing: null,
      type: 'team',
    })
  })

  it('accepts a requested tenant id once', async () => {
    const person = await newcomer()
    const tenant = randomUUID()
    expect((await create(person, { name: unique('n'), tenant })).tenant_id).toBe(tenant)
    expect(await outcome(create(person, { name: unique('n'), tenant }))).toBe('409 CONFLICT tenant')
  })

  it('gives a name to one of several concurrent callers', async () => {
    const person = await newcomer()
    const name = unique('n')
    const made = await Promise.all(Array.from({ length: 5 }, () => outcome(create(person, { name }))))
    expect(made.sort()).toEqual(['200', ...Array.from({ length: 4 }, () => '409 CONFLICT name')])
  })

  it.each([
    [0, 0],
    [2, 1],
  ])('rejects a namespace beyond an account limit of %i', async (limit, more) => {
    const person = await newcomer()
    const account = server.database.system().updateTable('users').set({ max_namespaces: limit })
    await account.where('id', '=', person.id).execute()
    for (let i = 0; i < more; i += 1) await create(person, { name: unique('n') })
    expect(await outcome(create(person, { name: unique('n') }))).toBe('403 NAMESPACE_LIMIT')
  })

  it('enforces the namespace limit under concurrent calls', async () => {
    const person = await newcomer()
    const account = server.database.system().updateTable('users').set({ max_namespaces: 3 })
    await account.where('id', '=', person.id).execute()
    const made = await Promise.all(Array.from({ length: 8 }, () => outcome(create(person, { name: unique('n') }))))
    expect(made.filter((one) => one === '200')).toHaveLength(2)
  })
})

describe('listing namespaces', () => {
  it('lists and filters namespaces of accepted memberships only', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    const own = await create(person, { name: unique('find') })
    await server.addMember(other.tenant, person.id, 'observer')
    const pending = await create(other, { name: unique('n') })
    await server.database
      .system()
      .insertInto('members')
      .values({
        tenant_id: TenantId.parse(pending.tenant_id),
        user_id: person.id,
        role: 'observer',
        status: 'pending',
        expires_at: new Date('2100-01-01'),
      })
      .execute()
    const list = async (items?: unknown) => {
      const query = items === undefined ? {} : { filter: filter(items) }
      const { body, total } = await person.client.call(namespaces.list, { query })
      expect(body).toHaveLength(total)
      return body.map(({ name }) => name)
    }
    expect(await list()).toEqual([person.namespace, other.namespace, own.name])
    expect(await list([{ type: 'property', params: { name: 'name', operator: 'contains', value: 'FIND' } }])).toEqual([
      own.name,
    ])
    const bad = [{ type: 'property', params: { name: 'owner', operator: 'eq', value: 'x' } }]
    expect(await outcome(list(bad))).toBe('400 INVALID_FILTER filter')
  })
})

describe('changing a namespace', () => {
  it('changes the given settings and rejects a taken name', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    const update = (body: object) => person.client.call(namespaces.update, { params: { tenant: person.tenant }, body })
    const announcement = 'Hello *there*'
    expect((await update({ settings: { connection_announcement: announcement } })).body.settings).toEqual({
      session_record: true,
      connection_announcement: announcement,
      end_disallowed_sessions: true,
      forwarding: true,
      forwarding_unrecorded: false,
      joining: true,
      access_requests: true,
      access_request_hours: 8,
      recording_policy: 'best-effort',
      recording_retention_days: 0,
      ssh_second_factor: false,
      ssh_second_factor_hours: 12,
      ssh_second_factor_service_keys: false,
    })
    const changes = {
      session_record: false,
      end_disallowed_sessions: false,
      forwarding: false,
      forwarding_unrecorded: true,
      joining: false,
      access_requests: false,
      access_request_hours: 1,
      recording_policy: 'required',
      recording_retention_days: 30,
      ssh_second_factor: true,
      ssh_second_factor_hours: 24,
      ssh_second_factor_service_keys: true,
    }
    const { body } = await update({ settings: changes })
    const kept = { ...changes, connection_announcement: announcement }
    expect(body.settings).toEqual(kept)
    expect((await update({ settings: {} })).body.settings).toEqual(kept)
    expect(await outcome(update({ name: other.namespace }))).toBe('409 CONFLICT name')
    expect(await outcome(update({ name: person.namespace }))).toBe('200')
    expect(await outcome(update({ name: 'has.dot' }))).toBe('400 INVALID_INPUT name')
    const long = { settings: { connection_announcement: 'x'.repeat(4_097) } }
    expect(await outcome(update(long))).toBe('400 INVALID_INPUT settings.connection_announcement')
  })

  it('keeps its last five former names from other namespaces', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    const { tenant } = person
    const rename = (name: string) =>
      outcome(person.client.call(namespaces.update, { params: { tenant }, body: { name } }))
    const names = [person.namespace, ...Array.from({ length: 6 }, () => unique('n'))]
    for (const name of names.slice(1)) expect(await rename(name)).toBe('200')
    const take = (name = '') => outcome(other.client.call(namespaces.create, { body: { name } }))
    expect(await Promise.all(names.slice(1).map(take))).toEqual(Array(6).fill('409 CONFLICT name'))
    const owned = { params: { tenant: other.tenant }, body: { name: names[5] ?? '' } }
    expect(await outcome(other.client.call(namespaces.update, owned))).toBe('409 CONFLICT name')
    expect(await take(names[0])).toBe('200')
    expect(await rename(names[5] ?? '')).toBe('200')
  })

  it('keeps every change of several made at once', async () => {
    const { client, tenant } = await newcomer()
    const update = (settings: object) => client.call(namespaces.update, { params: { tenant }, body: { settings } })
    for (const value of [true, false, true, false, true, false]) {
      const changes = { ssh_second_factor: value, forwarding: value, connection_announcement: String(value) }
      await Promise.all(Object.entries(changes).map(([name, one]) => update({ [name]: one })))
      expect((await client.call(namespaces.get, { params: { tenant } })).body.settings).toMatchObject(changes)
    }
  })
})

describe('support identifier', () => {
  it('derives a stable support identifier per namespace that differs from its id', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    const identifier = async ({ client, tenant }: Person) =>
      (await client.call(namespaces.support, { params: { tenant } })).body.identifier
    const first = await identifier(person)
    expect(first).toMatch(/^[0-9a-f]{64}$/)
    expect(await identifier(person)).toBe(first)
    expect(await identifier(other)).not.toBe(first)
  })
})
