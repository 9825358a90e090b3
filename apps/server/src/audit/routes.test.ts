// The audit log over HTTP: paged, and exported as lines.
import { operations } from '@bowline/contract/operations'
import { AuditEntry } from '@bowline/contract/schemas/audit'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, setStatus } from '../testing/boot.ts'

let server: BootedServer
let ada: Person
beforeAll(async () => {
  server = await bootServer()
  ada = await server.setUpAccount()
})
afterAll(() => server.close())

async function exported(person: Person): Promise<AuditEntry[]> {
  const headers = { authorization: `Bearer ${person.auth.token}` }
  const response = await server.fetch('/api/audit?format=jsonl', { headers })
  expect(response.headers.get('content-type')).toBe('application/jsonl')
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(response.headers.get('cache-control')).toBe('no-store')
  const lines = (await response.text()).split('\n')
  expect(lines.pop()).toBe('')
  expect(Number(response.headers.get('x-total-count'))).toBe(lines.length)
  return lines.map((line) => AuditEntry.parse(JSON.parse(line)))
}

describe('audit log', () => {
  it('lists actor, action and target of audit entries newest first, paged and as JSON lines', async () => {
    const person = await server.addPerson('busy')
    const device = await server.registerDevice(person.tenant, { hostname: 'box' })
    for (const word of ['reject', 'pending', 'accept'] as const) await setStatus(person, device.uid, word)
    const { body, total } = await person.client.call(operations.audit.list, { query: {} })
    expect(total).toBe(3)
    expect(body.map(({ action }) => action)).toEqual(['device.accept', 'device.pending', 'device.reject'])
    expect(body[0]).toMatchObject({
      actor: { type: 'user', id: person.id, name: 'busy' },
      target: device.uid,
      ip: '127.0.0.1',
      details: { name: 'box' },
    })
    const second = await person.client.call(operations.audit.list, { query: { page: '2', per_page: '2' } })
    expect([second.body.map(({ action }) => action), second.total]).toEqual([['device.reject'], 3])
    expect(await exported(person)).toEqual(body)
  })

  it('lists audit entries of one’s own namespace only', async () => {
    await server.acceptedDevice(ada)
    const idle = await server.addPerson('idle')
    expect(await exported(idle)).toEqual([])
    const { body, total } = await idle.client.call(operations.audit.list, { query: {} })
    expect([body, total]).toEqual([[], 0])
  })

  it('exports the audit log completely, across pages', async () => {
    const person = await server.addPerson('eager')
    const entry = { tenant_id: person.tenant, actor_type: 'system' as const, actor_id: 'test', action: 'test' }
    const many = Array.from({ length: 2_500 }, (_, i) => ({ ...entry, target: String(i) }))
    await server.database.system().insertInto('audit_log').values(many).execute()
    const targets = (await exported(person)).map(({ target }) => Number(target))
    expect(targets).toEqual(Array.from({ length: 2_500 }, (_, i) => 2_499 - i))
  })
})

it('limits how often one person exports the audit log, in either format, and reads its pages on', async () => {
  const person = await server.addPerson('greedy')
  const headers = { authorization: `Bearer ${person.auth.token}` }
  const statuses: number[] = []
  for (let i = 0; i < 15; i += 1) {
    for (const format of ['csv', 'jsonl']) {
      const response = await server.fetch(`/api/audit?format=${format}`, { headers })
      await response.text()
      statuses.push(response.status)
    }
  }
  expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 200))
  expect(statuses).toContain(429)
  expect((await server.fetch('/api/audit', { headers })).status).toBe(200)
})

it('ends an export whose reader has lost the right to it', async () => {
  const reader = await server.addPerson('reader')
  const tenant = ada.tenant
  const member = { tenant_id: tenant, user_id: reader.id, role: 'administrator' as const, status: 'accepted' as const }
  await server.database.system().insertInto('members').values(member).execute()
  // More than sockets hold: pages that nobody has pulled yet are read later.
  await sql`insert into audit_log (tenant_id, actor_type, actor_id, action, details)
    select ${tenant}, 'system', 'test', 'test', jsonb_build_object('text', repeat('x', 3000))
    from generate_series(1, 20000)`.execute(server.database.system())
  const { body: there } = await reader.client.call(operations.auth.switchNamespace, { params: { tenant } })
  const response = await server.fetch('/api/audit?format=jsonl', {
    headers: { authorization: `Bearer ${there.token}` },
  })
  const lines = response.body?.getReader()
  expect((await lines?.read())?.done).toBe(false)
  await ada.client.call(operations.members.remove, { params: { tenant, uid: reader.id } })
  const rest = async (): Promise<void> => {
    for (let part = await lines?.read(); part?.done === false; part = await lines?.read());
  }
  await expect(rest()).rejects.toThrow(/terminated|aborted/)
})

describe('filters of the audit log', () => {
  const list = async (person: Person, query: Record<string, string>) => {
    const { body, total } = await person.client.call(operations.audit.list, { query })
    expect(total).toBe(body.length)
    return body
  }
  const actionsOf = async (person: Person, query: Record<string, string>) =>
    (await list(person, query)).map(({ action }) => action)

  async function busy(name: string) {
    const person = await server.addPerson(name)
    const { uid } = await server.acceptedDevice(person, { hostname: 'greenhouse' })
    const key = { name: 'deploy', role: 'observer', expires_at: 30 } as const
    await person.client.call(operations.apiKeys.create, { body: key })
    await person.client.call(operations.devices.update, { params: { uid }, body: { name: 'orchard' } })
    return { person, uid }
  }

  it('match actions, nouns, people and times', async () => {
    const { person } = await busy('filters')
    expect(await actionsOf(person, { action: 'device' })).toEqual(['device.update', 'device.accept'])
    expect(await actionsOf(person, { action: 'api-key.create' })).toEqual(['api-key.create'])
    expect(await actionsOf(person, { person: person.id })).toHaveLength(3)
    expect(await actionsOf(person, { person: ada.id })).toEqual([])
    const [last] = await list(person, {})
    const at = last?.at ?? ''
    expect(await actionsOf(person, { from: at })).toEqual(['device.update'])
    expect(await actionsOf(person, { to: at })).toEqual(['api-key.create', 'device.accept'])
  })

  it('search in targets, in texts of the details and in present names of devices', async () => {
    const { person, uid } = await busy('searches')
    expect(await actionsOf(person, { search: 'DEPLOY' })).toEqual(['api-key.create'])
    // Its old name is in the details, its new one in the list of devices.
    expect(await actionsOf(person, { search: 'greenh' })).toEqual(['device.update', 'device.accept'])
    expect(await actionsOf(person, { search: 'orchard', action: 'device.accept' })).toEqual(['device.accept'])
    expect(await actionsOf(person, { search: uid.slice(10, 30) })).toEqual(['device.update', 'device.accept'])
    for (const search of ['%', '_', 'before', '\\']) expect(await actionsOf(person, { search })).toEqual([])
  })

  it('name what entries are about', async () => {
    const { person, uid } = await busy('names')
    const names = (await list(person, {})).map(({ target, target_name: name }) => [target, name])
    expect(names).toEqual([
      [uid, 'orchard'],
      ['deploy', undefined],
      [uid, 'greenhouse'],
    ])
  })

  it('do not tell which administrator of the server has acted', async () => {
    const { person } = await busy('subject')
    const { administration } = operations
    await ada.client.call(administration.setLimits, { params: { namespace: person.tenant }, body: { devices: 7 } })
    const [entry] = await list(person, { action: 'namespace.limit' })
    expect(entry?.actor.name).toBe('server administration')
    expect(await list(person, { person: ada.id })).toEqual([])
    expect(await list(person, { search: ada.id })).toEqual([])
  })

  it('hold for exports, as lines of JSON and as CSV', async () => {
    const { person } = await busy('exports')
    const headers = { authorization: `Bearer ${person.auth.token}` }
    const read = async (format: string) =>
      server.fetch(`/api/audit?format=${format}&action=device&search=orchard`, { headers })
    const json = (await (await read('jsonl')).text()).trim().split('\n')
    expect(json.map((line) => AuditEntry.parse(JSON.parse(line)).action)).toEqual(['device.update', 'device.accept'])
    const response = await read('csv')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit-log.csv"')
    const [head, ...rest] = (await response.text()).trim().split('\r\n')
    expect(head).toBe('"at","actor_type","actor_id","actor","action","target","target_name","ip","details","job"')
    expect(rest).toHaveLength(2)
    expect(rest[0]).toContain('"device.update"')
  })

  it.each([
    ['action', 'device; drop', 'an action such as device.accept'],
    ['from', 'yesterday', 'RFC 3339'],
    ['search', 'x'.repeat(101), '100 characters'],
    ['format', 'xml', 'json, csv or jsonl'],
  ])('refuse %s=%s', async (name, value, rule) => {
    const headers = { authorization: `Bearer ${ada.auth.token}` }
    const response = await server.fetch(`/api/audit?${new URLSearchParams({ [name]: value })}`, { headers })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(rule)
  })
})
