// Provisioning of one namespace against the others: what its provider may take of the database.
import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unique } from '../registration/testing.ts'
import { lockNamespace } from '../members/provisioned.ts'
import { type BootedServer, bootServer } from '../testing/boot.ts'
import { applyRoles } from './people/roles.ts'
import { type TestProvider, startProvider } from './testing.ts'

let server: BootedServer
let provider: TestProvider
let other: TestProvider
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1' } })
  await server.setUpAccount()
  provider = await startProvider(server, await server.addPerson(unique()))
  other = await startProvider(server, await server.addPerson(unique()))
})
afterAll(() => server.close())

const add = (provider: TestProvider) =>
  provider.send('POST', '/Users', { userName: `${unique()}@example.com`, active: true })

/** Connections that wait for a lock in the database of the server. */
async function waitingConnections(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(distinct pid)::int as count from pg_locks
    where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`.execute(
    server.database.system(),
  )
  return rows[0]?.count ?? 0
}

describe('changes of one namespace', () => {
  it('hold one connection of the database, and are refused when too many wait', async () => {
    const refused: (string | null)[] = []
    const { promise: isCrowded, resolve } = Promise.withResolvers<void>()
    const crowd = await server.database
      .system()
      .transaction()
      .execute(async (db) => {
        await lockNamespace(db, provider.owner.tenant)
        const calls = Array.from({ length: 40 }, async () => {
          const { status, headers } = await add(provider)
          if (status === 429) refused.push(headers.get('retry-after'))
          if (refused.length === 19) resolve()
          return status
        })
        await Promise.race([isCrowded, Promise.all(calls)])
        expect(refused).toEqual(Array.from({ length: 19 }, () => '1'))
        await expect.poll(waitingConnections, { timeout: 10_000 }).toBe(1)
        expect((await add(other)).status).toBe(201)
        return calls
      })
    const statuses = await Promise.all(crowd)
    expect(statuses.filter((status) => status === 429)).toHaveLength(19)
    expect(statuses).toContain(201)
  })

  it('give many people another role in as few statements as one, with an entry in the audit log for each', async () => {
    const { tenant } = other.owner
    const statements = async (people: number): Promise<number> => {
      await Promise.all(Array.from({ length: people }, () => add(other)))
      let count = 0
      const counting: KyselyPlugin = {
        transformQuery: ({ node }) => {
          count += 1
          return node
        },
        transformResult: async ({ result }) => result,
      }
      await server.database
        .system()
        .transaction()
        .execute(async (db) => {
          await lockNamespace(db, tenant)
          await sql`update members set role = 'operator' where tenant_id = ${tenant} and role <> 'owner'`.execute(db)
          const ctx = { tenant, db: db.withPlugin(counting), actor: { kind: 'system', name: 'test' }, source: '' }
          expect(await applyRoles(ctx as unknown as Parameters<typeof applyRoles>[0])).toHaveLength(people + before)
        })
      before += people
      return count
    }
    let before = (await other.send('GET', '/Users')).body.totalResults as number
    const ofFew = await statements(1)
    expect(await statements(12)).toBe(ofFew)
    const { rows } = await sql<{ details: object; count: number }>`select details, count(*)::int as count from audit_log
      where tenant_id = ${tenant} and action = 'member.update' group by details`.execute(server.database.system())
    const details = { before: { role: 'operator' }, after: { role: 'observer' } }
    expect(rows).toEqual([{ details, count: before - 12 + before }])
  })
})
