// Lists long enough that pages are read from either end: every page in every order.
import { operations } from '@bowline/contract/operations'
import { AuditEntry } from '@bowline/contract/schemas/audit'
import { DEVICE_STATUSES } from '@bowline/contract/schemas/device'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Schema } from '../db/schema.ts'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'

const DEVICES = 2_450
const PER_PAGE = 100

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer()
  person = await server.setUpAccount()
  const db = server.database.system()
  // Three of four are accepted; names and times occur three times each, so that there are ties everywhere.
  await sql`insert into devices (uid, tenant_id, name, public_key, status, created_at, last_seen, status_updated_at)
    select encode(sha256(convert_to('device' || i, 'UTF8')), 'hex'), ${person.tenant}::uuid,
      case when i % 4 > 0 then 'device-' || i else 'waiting-' || i / 12 end, 'key',
      case when i % 4 > 0 then 'accepted' when i % 8 > 0 then 'pending' else 'rejected' end,
      now() - make_interval(mins => i / 3), now() - make_interval(mins => (i * 7919) % 800), now() - make_interval(mins => i % 900)
    from generate_series(1, ${DEVICES}::int) as i`.execute(db)
  await sql`insert into sessions (uid, tenant_id, device_uid, username, type, last_seen)
    select encode(sha256(convert_to('session' || i, 'UTF8')), 'hex'), ${person.tenant}::uuid, devices.uid, 'root', 'term',
      now() - make_interval(mins => i / 3)
    from generate_series(1, ${DEVICES}::int) as i, (select uid from devices limit 1) as devices`.execute(db)
  await sql`insert into audit_log (tenant_id, actor_type, actor_id, action)
    select ${person.tenant}::uuid, 'system', 'test', 'tried' from generate_series(1, ${DEVICES}::int)`.execute(db)
})
afterAll(() => server.close())

const tenant = (): Kysely<Schema> => server.database.forTenant(person.tenant)

/** Rows of all pages, and the distinct totals returned. */
async function walk<T>(page: (query: { page: string; per_page: string }) => Promise<{ body: T[]; total: number }>) {
  const rows: T[] = []
  const totals = new Set<number>()
  for (let number = 1; ; number += 1) {
    const { body, total } = await page({ page: String(number), per_page: String(PER_PAGE) })
    totals.add(total)
    rows.push(...body)
    if (body.length < PER_PAGE) return { rows, totals: [...totals] }
  }
}

describe('pages of a long list', () => {
  const orders = (['last_seen', 'name', 'created_at', 'status', 'status_updated_at'] as const).flatMap((sort_by) =>
    (['asc', 'desc'] as const).map((order_by) => ({ sort_by, order_by })),
  )
  it.each(orders)('lists each device once and in order by $sort_by $order_by', async ({ sort_by, order_by }) => {
    for (const status of ['accepted', ''] as const) {
      const { rows, totals } = await walk((query) =>
        person.client.call(operations.devices.list, { query: { ...query, sort_by, order_by, status } }),
      )
      const down = order_by === 'desc' ? sql`desc` : sql`asc`
      const up = order_by === 'desc' ? sql`asc` : sql`desc`
      const keys = {
        status: sql`status ${down}, last_seen ${down}`,
        // By the number, as people count.
        name: sql`split_part(name, '-', 1) ${down}, split_part(name, '-', 2)::int ${down}`,
      }
      const key = sort_by === 'status' || sort_by === 'name' ? keys[sort_by] : sql`${sql.ref(sort_by)} ${down}`
      const expected = await sql<{ uid: string }>`select uid from devices
        where status = any(${status === '' ? [...DEVICE_STATUSES] : [status]}) order by ${key}, uid ${up}`.execute(
        tenant(),
      )
      expect(totals).toEqual([expected.rows.length])
      expect(rows.map(({ uid }) => uid)).toEqual(expected.rows.map(({ uid }) => uid))
    }
  })

  it('lists each session and audit entry once, newest first', async () => {
    const sessions = await walk((query) => person.client.call(operations.sessions.list, { query }))
    const inOrder = await tenant()
      .selectFrom('sessions')
      .select('uid')
      .orderBy('last_seen', 'desc')
      .orderBy('uid')
      .execute()
    expect(sessions.totals).toEqual([DEVICES])
    expect(sessions.rows.map(({ uid }) => uid)).toEqual(inOrder.map(({ uid }) => uid))

    const entries = await walk((query) => person.client.call(operations.audit.list, { query }))
    const ids = entries.rows.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted((a, b) => b - a))
    expect(new Set(ids).size).toBe(entries.totals[0])
    expect(ids.length).toBeGreaterThanOrEqual(DEVICES)
    const authorization = `Bearer ${person.auth.token}`
    const exported = await server.fetch('/api/audit?format=jsonl', { headers: { authorization } })
    const lines = (await exported.text()).trimEnd().split('\n')
    expect(lines.map((line) => AuditEntry.parse(JSON.parse(line)).id)).toEqual(ids)
  })
})
