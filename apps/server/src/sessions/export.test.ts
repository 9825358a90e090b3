// The list of sessions as a file, over HTTP.
import { operations } from '@bowline/contract/operations'
import { Session } from '@bowline/contract/schemas/session'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, type RegisteredDevice, bootServer } from '../testing/boot.ts'

const TOTAL = 1_200
let server: BootedServer
let person: Person
let device: RegisteredDevice
beforeAll(async () => {
  server = await bootServer()
  person = await server.setUpAccount()
  device = await server.acceptedDevice(person, { hostname: 'box' })
  await addSessions(person, device, TOTAL)
})
afterAll(() => server.close())

/** Ended sessions, one a minute; every third one failed to sign in. */
async function addSessions({ tenant }: Person, { uid }: RegisteredDevice, count: number, command = ''): Promise<void> {
  await sql`insert into sessions (uid, tenant_id, device_uid, username, ip_address, type, started_at, last_seen, closed_at,
      authenticated, person, person_id, method, key_name, key_fingerprint, command, cause_by, cause_reason, cause_message)
    select encode(sha256(convert_to(${uid}::text || i, 'UTF8')), 'hex'), ${tenant}::uuid, ${uid}, 'user-' || i % 7,
      '192.0.2.' || i % 250, 'term', at, at, at, i % 3 > 0, 'ada@example.com', 'ada', 'publickey', '=laptop',
      'SHA256:' || repeat('a', 43), ${command}, 'user', 'closed', 'The user left.'
    from generate_series(1, ${count}::int) as i, lateral (select timestamptz '2026-11-01' + i * interval '1 minute' as at) as minutes
  `.execute(server.database.system())
}

const encode = (...items: unknown[]) => Buffer.from(JSON.stringify(items)).toString('base64')
const where = (name: string, operator: string, value: unknown) => ({
  type: 'property',
  params: { name, operator, value },
})
const exported = (query: Record<string, string>, { token }: { token: string } = person.auth) =>
  server.fetch(`/api/sessions/export?${new URLSearchParams(query)}`, { headers: { authorization: `Bearer ${token}` } })

async function uidsOf(query: Record<string, string>): Promise<string[]> {
  const lines = (await (await exported({ format: 'jsonl', ...query })).text()).trimEnd().split('\n')
  return lines.map((line) => Session.parse(JSON.parse(line)).uid)
}

describe('exporting sessions', () => {
  it('writes every session once, over several pages, in the order of the list', async () => {
    for (const order of [
      { sort_by: 'last_seen', order_by: 'desc' },
      { sort_by: 'username', order_by: 'asc' },
    ] as const) {
      const uids = await uidsOf(order)
      expect(new Set(uids).size).toBe(TOTAL)
      const { body } = await person.client.call(operations.sessions.list, { query: { ...order, per_page: '100' } })
      expect(uids.slice(0, 100)).toEqual(body.map(({ uid }) => uid))
    }
  })

  it('writes only what the filter matches', async () => {
    const filter = encode(where('authenticated', 'bool', false), where('username', 'eq', 'user-0'))
    const { body, total } = await person.client.call(operations.sessions.list, { query: { filter, per_page: '100' } })
    expect(total).toBe(57)
    expect(await uidsOf({ filter })).toEqual(body.map(({ uid }) => uid))
  })

  it('writes CSV with headings that spreadsheets run nothing of', async () => {
    const response = await exported({ sort_by: 'started_at', order_by: 'asc' })
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="sessions.csv"')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const lines = (await response.text()).trimEnd().split('\r\n')
    expect(lines).toHaveLength(TOTAL + 1)
    expect(lines[0]).toMatch(/^"started_at","ended_at","device","username","person"/)
    expect(lines[1]).toMatch(/^"2026-11-01T00:01:00.000Z","2026-11-01T00:01:00.000Z","box","user-1","ada@example.com"/)
    expect(lines[1]).toContain(`"'=laptop"`)
  })

  it('writes sessions of the reader’s namespace only', async () => {
    const other = await server.addPerson('other')
    expect(await (await exported({ format: 'jsonl' }, other.auth)).text()).toBe('')
  })

  it.each([
    ['format', 'xml', 'csv or jsonl'],
    ['filter', encode(where('password', 'eq', 'x')), 'no property password'],
  ])('refuses %s=%s', async (name, value, rule) => {
    const response = await exported({ [name]: value })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(rule)])
  })
})

it('ends an export of sessions whose reader has lost the right to it', async () => {
  const reader = await server.addPerson('reader')
  const { tenant } = person
  await server.addMember(tenant, reader.id, 'observer')
  // More than sockets hold: pages that nobody has pulled yet are read later.
  const busy = await server.acceptedDevice(person, { hostname: 'busy' })
  await addSessions(person, busy, 20_000, 'x'.repeat(1_000))
  const { body: there } = await reader.client.call(operations.auth.switchNamespace, { params: { tenant } })
  const lines = (await exported({ format: 'jsonl' }, there)).body?.getReader()
  expect((await lines?.read())?.done).toBe(false)
  await person.client.call(operations.members.remove, { params: { tenant, uid: reader.id } })
  const rest = async (): Promise<void> => {
    for (let part = await lines?.read(); part?.done === false; part = await lines?.read());
  }
  await expect(rest()).rejects.toThrow(/terminated|aborted/)
})
