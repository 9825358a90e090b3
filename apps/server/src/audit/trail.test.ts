// Audit entries of changes, and their immutability.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readRows } from '../exports/store.ts'
import { EXPORTED } from '../exports/tables.ts'
import { freshKeyData } from '../testing/samples.ts'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'

const { administration, audit, devices, apiKeys } = operations
let server: BootedServer
let admin: Person
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_TRUSTED_PROXIES: '127.0.0.1' } })
  admin = await server.setUpAccount()
})
afterAll(() => server.close())

const newcomer = () => server.addPerson(`p${randomUUID().slice(0, 8)}`)
const entries = async (person: Person) => (await person.client.call(audit.list, { query: { per_page: '100' } })).body

it('records actor, target, source address and before/after values of a change', async () => {
  const person = await newcomer()
  const { uid } = await server.acceptedDevice(person, { hostname: 'box' })
  const response = await server.fetch(`/api/devices/${uid}`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${person.auth.token}`,
      'content-type': 'application/json',
      'x-forwarded-for': '203.0.113.9',
    },
    body: JSON.stringify({ name: 'renamed' }),
  })
  expect(response.status).toBe(200)
  const [last] = await entries(person)
  expect(last).toMatchObject({
    actor: { type: 'user', id: person.id, name: person.username },
    action: 'device.update',
    target: uid,
    ip: '203.0.113.9',
    details: { before: { name: 'box', public_url: false }, after: { name: 'renamed', public_url: false } },
  })
})

it('names the API key that made the change', async () => {
  const person = await newcomer()
  const { body: key } = await person.client.call(apiKeys.create, { body: { name: 'machine', expires_at: -1 } })
  const { uid } = await server.acceptedDevice(person)
  await server.fetch(`/api/devices/${uid}`, { method: 'DELETE', headers: { 'x-api-key': key.id } })
  const [last] = await entries(person)
  expect(last).toMatchObject({ actor: { type: 'api-key', id: 'machine', name: 'machine' }, action: 'device.remove' })
  expect(JSON.stringify(await entries(person))).not.toContain(key.id)
})

it('tells members that the server’s administration acted, not who and from where', async () => {
  const person = await newcomer()
  const send = (path: string, method: string, body: object) =>
    server.fetch(`/api/instance/namespaces/${person.tenant}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${admin.auth.token}`,
        'content-type': 'application/json',
        'x-forwarded-for': '203.0.113.77',
      },
      body: JSON.stringify(body),
    })
  expect((await send('limits', 'PUT', { devices: 5 })).status).toBe(200)
  expect((await send('disable', 'POST', {})).status).toBe(200)
  expect((await send('enable', 'POST', {})).status).toBe(200)
  const seen = await entries(person)
  const by = { type: 'system', id: 'server administration', name: 'server administration' }
  expect(seen.map(({ action, actor, ip }) => ({ action, actor, ip }))).toEqual(
    ['namespace.enable', 'namespace.disable', 'namespace.limit'].map((action) => ({ action, actor: by, ip: '' })),
  )
  const lines = await server.fetch('/api/audit?format=jsonl', {
    headers: { authorization: `Bearer ${person.auth.token}` },
  })
  const text = await lines.text()
  expect(text).toContain('server administration')
  expect(text).not.toMatch(new RegExp(`203.0.113.77|${admin.id}`))
  const db = server.database.forTenant(person.tenant)
  const exported: string[] = []
  const { audit_log: table } = EXPORTED
  if (!table) throw new Error('the audit log is not exported')
  await db.transaction().execute(async (one) => {
    for await (const rows of readRows(one, 'audit_log', table)) exported.push(...rows)
  })
  expect(exported).toHaveLength(3)
  expect(exported.join()).not.toMatch(new RegExp(`203.0.113.77|${admin.id}`))
  const query = { namespace: person.tenant, per_page: '10' }
  const { body: known } = await admin.client.call(administration.listAudit, { query })
  expect(known).toHaveLength(3)
  for (const entry of known) expect(entry).toMatchObject({ actor: { id: admin.id }, ip: '203.0.113.77' })
})

it('writes no audit entry for refused or ineffective calls', async () => {
  const person = await newcomer()
  const before = await entries(person)
  await person.client.call(devices.remove, { params: { uid: 'a'.repeat(64) } }).catch(() => undefined)
  const key = { name: 'k', username: '(', filter: { hostname: '.*' }, data: freshKeyData() }
  await person.client.call(operations.publicKeys.create, { body: key }).catch(() => undefined)
  expect(await entries(person)).toEqual(before)
})

it('restricts the audit log to administrators', async () => {
  const [owner, operator] = [await newcomer(), await newcomer()]
  await server.addMember(owner.tenant, operator.id, 'operator')
  const { body } = await operator.client.call(operations.auth.switchNamespace, { params: { tenant: owner.tenant } })
  const response = await server.fetch('/api/audit', { headers: { authorization: `Bearer ${body.token}` } })
  expect(response.status).toBe(403)
})

it.each(['update', 'delete'] as const)('denies the working database role to %s an audit entry', async (verb) => {
  const person = await newcomer()
  await server.acceptedDevice(person)
  const change = verb === 'update' ? sql`update audit_log set action = 'device.reject'` : sql`delete from audit_log`
  await expect(change.execute(server.database.forTenant(person.tenant))).rejects.toThrow('permission denied')
  expect((await entries(person)).map(({ action }) => action)).toEqual(['device.accept'])
})
