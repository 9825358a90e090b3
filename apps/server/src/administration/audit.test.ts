// The audit logs of all namespaces: filters, pages and exports.
import { operations } from '@bowline/contract/operations'
import { InstanceAuditEntry } from '@bowline/contract/schemas/instance/administration'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { exportedEntries } from './audit.ts'

const { administration, publicKeys } = operations
let server: BootedServer
let admin: Person
let ada: Person
let bob: Person
beforeAll(async () => {
  server = await bootServer()
  admin = await server.setUpAccount()
  ada = await server.addPerson('adam')
  bob = await server.addPerson('bob')
  await server.acceptedDevice(ada, { hostname: 'box' })
  await server.acceptedDevice(bob, { hostname: 'tin' })
  void publicKeys
})
afterAll(() => server.close())

async function exported(query: string): Promise<Response> {
  const headers = { authorization: `Bearer ${admin.auth.token}` }
  return server.fetch(`/api/instance/audit/export?${query}`, { headers })
}
const entries = async (query: string) => {
  const lines = (await (await exported(`format=jsonl&${query}`)).text()).trimEnd().split('\n')
  return lines.filter((line) => line !== '').map((line) => InstanceAuditEntry.parse(JSON.parse(line)))
}

describe('audit log of the instance', () => {
  it('lists entries of all namespaces, and pages by the last one seen', async () => {
    const { body } = await admin.client.call(administration.listAudit, { query: { action: 'device', per_page: '1' } })
    expect(body.map(({ namespace, actor }) => [namespace, actor.name])).toEqual([['bob-home', 'bob']])
    const before = `${body[0]?.at},${body[0]?.id}`
    const next = await admin.client.call(administration.listAudit, {
      query: { action: 'device', per_page: '1', before },
    })
    expect(next.body.map(({ namespace }) => namespace)).toEqual(['adam-home'])
  })

  it('filters by namespace, person, action and time', async () => {
    const names = async (query: string) =>
      (await entries(query)).map(({ namespace, action }) => `${namespace} ${action}`)
    expect(await names(`namespace=${ada.tenant}`)).toEqual(['adam-home device.accept'])
    expect(await names(`person=${bob.id}`)).toEqual(['bob-home device.accept'])
    expect(await names('action=device.accept')).toHaveLength(2)
    expect(await names('action=tunnel')).toEqual([])
    expect(await names(`action=device&to=${new Date(0).toISOString()}`)).toEqual([])
    expect(await names(`action=device&from=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([])
    expect((await names('namespace=server')).every((name) => name === ' audit.export')).toBe(true)
  })

  it('is exported as CSV that runs no formula', async () => {
    const entry = { tenant_id: ada.tenant, actor_type: 'system' as const, actor_id: '=cmd|x', action: 'formula.test' }
    await server.database
      .system()
      .insertInto('audit_log')
      .values({ ...entry, target: '@SUM(1)', details: { a: '"' } })
      .execute()
    const response = await exported('format=csv&action=formula')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const [head, line, end] = (await response.text()).split('\r\n')
    expect(head).toBe(
      '"at","namespace","tenant_id","actor_type","actor_id","actor","action","target","ip","details","job"',
    )
    expect(line).toContain(
      `"adam-home","${ada.tenant}","system","'=cmd|x","'=cmd|x","formula.test","'@SUM(1)","","{""a"":""\\""""}"`,
    )
    expect(end).toBe('')
  })

  it('is exported completely across pages, each read when its reader wants it', async () => {
    const entry = { tenant_id: bob.tenant, actor_type: 'system' as const, actor_id: 'test', action: 'many.test' }
    const many = Array.from({ length: 2_500 }, (_, nth) => ({ ...entry, target: String(nth) }))
    await server.database.system().insertInto('audit_log').values(many).execute()
    const targets = (await entries('action=many')).map(({ target }) => Number(target))
    expect(targets).toEqual(Array.from({ length: 2_500 }, (_, nth) => 2_499 - nth))
    let asked = 0
    const mayGoOn = () => Promise.resolve((asked += 1) < 2)
    const reader = exportedEntries(server.database.system(), { action: 'many' }, 'jsonl', mayGoOn)
    await reader.next()
    expect(asked).toBe(0)
    await reader.next()
    expect(asked).toBe(1)
    await expect(reader.next()).rejects.toThrow('ended with the sign-in')
  })

  it('tells of its exports, with their filters', async () => {
    await exported('format=jsonl&action=none')
    const { body } = await admin.client.call(administration.listAudit, {
      query: { namespace: 'server', per_page: '1' },
    })
    expect(body[0]).toMatchObject({ action: 'audit.export', details: { format: 'jsonl', action: 'none' } })
  })
})
