import { randomBytes, randomUUID } from 'node:crypto'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { TenantId as parseTenant, UserId as parseUser } from '@bowline/contract/schemas/common'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from './database.ts'
import { asOwner } from './owner-session.ts'
import { silentLog } from '../platform/log.ts'
import { testDatabase, type TestDatabase } from '../testing/database.ts'

let test: TestDatabase
let database: Database
beforeAll(async () => {
  test = await testDatabase({ poolSize: 1 })
  database = test.database
})
afterAll(() => test.close())

async function makeNamespace(): Promise<{ tenant: TenantId; owner: UserId }> {
  const owner = parseUser.parse(randomBytes(12).toString('hex'))
  const tenant = parseTenant.parse(randomUUID())
  const name = `n${randomBytes(6).toString('hex')}`
  await database
    .system()
    .insertInto('users')
    .values({ id: owner, name, username: name, email: `${name}@example.com`, status: 'confirmed' })
    .execute()
  await database.system().insertInto('namespaces').values({ tenant_id: tenant, name, owner }).execute()
  return { tenant, owner }
}

describe('connections', () => {
  it('compile no statement, however costly PostgreSQL takes it for', async () => {
    const { tenant } = await makeNamespace()
    for (const db of [database.forTenant(tenant), database.system()]) {
      const plan = sql<object>`explain (analyze, format json) select count(*) from pg_class where relpages >= 0`
      const { rows } = await plan.execute(db)
      expect(JSON.stringify(rows)).not.toContain('JIT')
    }
  })
})

describe('tenant view', () => {
  it('isolates tenants that share a single connection', async () => {
    const [a, b] = [await makeNamespace(), await makeNamespace()]
    const seen = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const { tenant } = index % 2 === 0 ? a : b
        const rows = await database.forTenant(tenant).selectFrom('namespaces').select('tenant_id').execute()
        return { asked: tenant, got: rows.map((row) => row.tenant_id) }
      }),
    )
    for (const { asked, got } of seen) expect(got).toEqual([asked])
  })

  it('keeps the tenant of a transaction separate from the next checkout', async () => {
    const [a, b] = [await makeNamespace(), await makeNamespace()]
    const inside = database
      .forTenant(a.tenant)
      .transaction()
      .execute(async (trx) => {
        await trx
          .insertInto('members')
          .values({ tenant_id: a.tenant, user_id: a.owner, role: 'owner', status: 'accepted' })
          .execute()
        return trx.selectFrom('members').select('tenant_id').execute()
      })
    const after = database.forTenant(b.tenant).selectFrom('members').select('tenant_id').execute()
    expect(await inside).toEqual([{ tenant_id: a.tenant }])
    expect(await after).toEqual([])
  })

  it('denies a tenant view writes to rows of another namespace', async () => {
    const [a, b] = [await makeNamespace(), await makeNamespace()]
    const view = database.forTenant(a.tenant)
    await expect(
      view
        .insertInto('members')
        .values({ tenant_id: b.tenant, user_id: a.owner, role: 'observer', status: 'accepted' })
        .execute(),
    ).rejects.toThrow(/row-level security/)
    const moved = await view
      .updateTable('namespaces')
      .set({ max_devices: 3 })
      .where('tenant_id', '=', b.tenant)
      .executeTakeFirst()
    expect(moved.numUpdatedRows).toBe(0n)
    const deleted = await view.deleteFrom('namespaces').where('tenant_id', '=', b.tenant).executeTakeFirst()
    expect(deleted.numDeletedRows).toBe(0n)
  })

  it('denies a tenant view access to accounts and instance keys', async () => {
    const { tenant } = await makeNamespace()
    for (const table of [
      'users',
      'instance',
      'instance_keys',
      'login_attempts',
      'refresh_tokens',
      'account_events',
    ] as const) {
      await expect(database.forTenant(tenant).selectFrom(table).selectAll().execute()).rejects.toThrow(
        /permission denied/,
      )
    }
  })

  it('denies a tenant view changes of the audit log', async () => {
    const { tenant } = await makeNamespace()
    const view = database.forTenant(tenant)
    await view
      .insertInto('audit_log')
      .values({ tenant_id: tenant, actor_type: 'system', actor_id: 'test', action: 'tried' })
      .execute()
    await expect(view.deleteFrom('audit_log').execute()).rejects.toThrow(/permission denied/)
    await expect(view.updateTable('audit_log').set({ action: 'x' }).execute()).rejects.toThrow(/permission denied/)
  })
})

it('hides rows of all namespaces from the owner', async () => {
  await makeNamespace()
  const { rows } = await asOwner(test.owner, (client) => client.query('select * from namespaces'))
  expect(rows).toEqual([])
})

it('discards a connection released inside a transaction', async () => {
  const { tenant } = await makeNamespace()
  const view = database.forTenant(tenant)
  const first = await view.connection().execute(async (connection) => {
    await sql`begin`.execute(connection)
    return sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)
  })
  const second = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(view)
  expect(second.rows[0]?.pid).not.toBe(first.rows[0]?.pid)
})

it('replaces a connection closed by PostgreSQL transparently', async () => {
  const { tenant } = await makeNamespace()
  const view = database.forTenant(tenant)
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(view)
  const pid = rows[0]?.pid
  await asOwner(test.owner, (client) => client.query('select pg_terminate_backend($1)', [pid]))
  const again = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(view)
  expect(again.rows[0]?.pid).not.toBe(pid)
})

it('replaces a connection to a server that takes no writes, as an address leads elsewhere after a failover', async () => {
  const write = () => sql`update nodes set draining = draining`.execute(database.system())
  await sql`set default_transaction_read_only = on`.execute(database.system())
  await expect(write()).rejects.toMatchObject({ code: '25006' })
  await write()
})

it('re-prepares a statement whose table was migrated', async () => {
  const read = () => database.system().selectFrom('login_attempts').selectAll().execute()
  for (let turn = 0; turn < 3; turn += 1) await read()
  await asOwner(test.owner, (client) => client.query('alter table login_attempts add column later integer'))
  expect(await read()).toEqual([])
})

it('parses bigint as a number and refuses unsafe values', async () => {
  const { rows } = await sql<{ n: number }>`select 9007199254740991::bigint as n`.execute(database.system())
  expect(rows[0]?.n).toBe(Number.MAX_SAFE_INTEGER)
  await expect(sql`select 9007199254740993::bigint as n`.execute(database.system())).rejects.toThrow(RangeError)
})

it('opens a database from two servers concurrently', async () => {
  const both = await Promise.all([1, 2].map(() => openDatabase({ owner: test.owner, poolSize: 1, log: silentLog })))
  await expect(Promise.all(both.map((one) => one.ping()))).resolves.toHaveLength(2)
  await Promise.all(both.map((one) => one.close()))
})
