// The audit log over HTTP: paged, and exported as lines.
import { operations } from '@bowline/contract/operations'
import { AuditEntry } from '@bowline/contract/schemas/audit'
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
