// Row-level security as the second line of defence between namespaces: queries that lack every condition, and
// connections reused after another namespace.
import { testContext } from '../testing/context.ts'
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { TenantId, UserId } from '@bowline/contract/schemas/common'
import {
  type DeleteQueryNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  type QueryId,
  type RootOperationNode,
  type SelectQueryNode,
  type UpdateQueryNode,
  sql,
} from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as apiKeys from '../api-keys/service.ts'
import { listKeys } from '../install-keys/service.ts'
import * as connectors from '../connectors/service.ts'
import type { TenantContext } from '../context.ts'
import { list as listDevices } from '../devices/list/service.ts'
import * as devices from '../devices/service.ts'
import * as firewall from '../firewall/service.ts'
import { type TestTenant, makeTenant, tenantTables } from '../testing/tenant.ts'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import * as publicKeys from '../public-keys/service.ts'
import * as sessions from '../sessions/service.ts'
import { createLedger } from '../recordings/ledger/ledger.ts'
import { createRecordingKey } from '../recordings/recording-key.ts'
import { recordingRemoval } from '../recordings/removal.ts'
import * as tags from '../tags/service.ts'
import * as tunnels from '../tunnels/service.ts'
import { type TestDatabase, testDatabase } from '../testing/database.ts'

let test: TestDatabase
let mine: TestTenant
let theirs: TestTenant
beforeAll(async () => {
  // A single connection: a use case that takes a second one inside its transaction would deadlock.
  test = await testDatabase({ poolSize: 1 })
  mine = await newTenant()
  theirs = await newTenant()
})
afterAll(() => test.close())
beforeEach(async () => {
  for (const tenant of [mine, theirs]) {
    await tenant.reset()
    const entry = { tenant_id: tenant.id, actor_type: 'system' as const, actor_id: 'test', action: 'tried' }
    await test.database.system().insertInto('audit_log').values(entry).execute()
    // Where a server runs, it empties the queue.
    const due = { tenant_id: tenant.id, device_uid: tenant.ids.device }
    const queue = test.database.system().insertInto('tag_rule_devices').values(due)
    await queue.onConflict((conflict) => conflict.doNothing()).execute()
  }
})

async function newTenant(): Promise<TestTenant> {
  const person = async (): Promise<UserId> => {
    const id = UserId.parse(randomBytes(12).toString('hex'))
    const name = `p${id.slice(0, 8)}`
    const account = { id, name, username: name, email: `${name}@example.com`, status: 'confirmed' as const }
    await test.database.system().insertInto('users').values(account).execute()
    return id
  }
  const [observer, operator, administrator, owner] = [await person(), await person(), await person(), await person()]
  const members = { observer, operator, administrator, owner }
  return makeTenant(test.database, TenantId.parse(randomUUID()), members, await person())
}

const REMOVAL = recordingRemoval(createLedger(createRecordingKey(generateKeyPairSync('ed25519'))))

/** Removes the WHERE clause from every statement. */
class WithoutConditions extends OperationNodeTransformer implements KyselyPlugin {
  readonly dropped: string[] = []

  transformQuery({ node }: { node: RootOperationNode }): RootOperationNode {
    return this.transformNode(node)
  }
  transformResult<T>({ result }: { result: T }): Promise<T> {
    return Promise.resolve(result)
  }
  protected override transformSelectQuery(node: SelectQueryNode, id?: QueryId): SelectQueryNode {
    return super.transformSelectQuery(this.#without(node), id)
  }
  protected override transformUpdateQuery(node: UpdateQueryNode, id?: QueryId): UpdateQueryNode {
    return super.transformUpdateQuery(this.#without(node), id)
  }
  protected override transformDeleteQuery(node: DeleteQueryNode, id?: QueryId): DeleteQueryNode {
    return super.transformDeleteQuery(this.#without(node), id)
  }
  #without<N extends SelectQueryNode | UpdateQueryNode | DeleteQueryNode>(node: N): N {
    if (!node.where) return node
    this.dropped.push(node.kind)
    const { where: _, ...rest } = node
    return rest as N
  }
}

/** Context of `mine` whose statements lose every condition on the way to the database. */
function careless(): { ctx: TenantContext; plugin: WithoutConditions } {
  const plugin = new WithoutConditions()
  const ctx = testContext(test.database, mine.id, {
    db: test.database.forTenant(mine.id).withPlugin(plugin),
    clock: new ManualClock(Date.now()),
    edition: 'cloud',
  })
  return { ctx, plugin }
}

const PAGE = { page: 1, per_page: 100 }
const undialled = { dialing: { changed: () => Promise.resolve() } }
const tunnelDeps = {
  secret: 'test',
  domain: 'example.com',
  origin: () => 'https://example.org',
  tlsPort: () => undefined,
  passwords: { hash: () => Promise.resolve('') },
  traffic: { changed: () => undefined, requests: () => [] },
}

describe('statements without any condition', () => {
  /** Tables on which the tenant role has that privilege. */
  const tablesFor = async (verb: 'update' | 'delete'): Promise<string[]> => {
    const tables = await tenantTables(test.database.system())
    const { rows } = await sql<{ name: string }>`select name from unnest(${tables}::text[]) as name
      where has_table_privilege('bowline_app', name, ${verb})`.execute(test.database.system())
    expect(rows.length).toBeGreaterThan(8)
    return rows.map(({ name }) => name)
  }

  it('reads only rows of its own namespace from every table without a condition', async () => {
    const db = test.database.forTenant(mine.id)
    // A row of this one closes the namespace, which hides the rows of the others.
    const tables = (await tenantTables(test.database.system())).filter((table) => table !== 'closed_namespaces')
    const seen = await Promise.all(
      tables.map(async (table) => {
        const { rows } = await sql<{
          tenant: string
        }>`select tenant_id::text as tenant from ${sql.table(table)}`.execute(db)
        return [table, [...new Set(rows.map(({ tenant }) => tenant))]]
      }),
    )
    expect(seen).toEqual(tables.map((table) => [table, [mine.id]]))
  })

  it.each(['update', 'delete'] as const)(
    'affects no rows of other namespaces with an unconditional %s',
    async (verb) => {
      const before = await theirs.fingerprint()
      let touched = 0
      for (const table of await tablesFor(verb)) {
        const statement =
          verb === 'update'
            ? sql`update ${sql.table(table)} set tenant_id = tenant_id`
            : sql`delete from ${sql.table(table)}`
        const { numAffectedRows } = await statement.execute(test.database.forTenant(mine.id))
        touched += Number(numAffectedRows ?? 0)
      }
      expect(touched).toBeGreaterThan(0)
      expect(await theirs.fingerprint()).toBe(before)
    },
  )

  it('refuses to move a row to another namespace', async () => {
    for (const table of await tablesFor('update')) {
      const steal = sql`update ${sql.table(table)} set tenant_id = ${theirs.id}`
      await expect(steal.execute(test.database.forTenant(mine.id))).rejects.toThrow(
        /row-level security|violates foreign key/,
      )
    }
  })
})

describe('use cases without any condition', () => {
  const readings: Readonly<Record<string, (ctx: TenantContext) => Promise<unknown>>> = {
    'the list of devices': (ctx) =>
      listDevices(ctx, 'devices', {
        ...PAGE,
        status: 'accepted',
        sort_by: 'last_seen',
        order_by: 'desc',
        filter: undefined,
      }),
    'a device of theirs': (ctx) => devices.get(ctx, theirs.ids.device),
    'the list of sessions': (ctx) =>
      sessions.list(ctx, { ...PAGE, filter: undefined, sort_by: 'last_seen', order_by: 'desc' }),
    'a session of theirs': (ctx) => sessions.get(ctx, theirs.ids.session),
    'the list of public keys': (ctx) => publicKeys.list(ctx, { ...PAGE, filter: undefined }),
    'the list of rules': (ctx) => firewall.list(ctx, { ...PAGE, filter: undefined }),
    'a rule of theirs': (ctx) => firewall.get(ctx, theirs.ids.rule),
    'the tunnels of a device of theirs': (ctx) => tunnels.list(tunnelDeps, ctx, theirs.ids.device, PAGE),
    'the list of connectors': (ctx) => connectors.list(ctx, { ...PAGE, enable: undefined }),
    'a connector of theirs': (ctx) => connectors.get(ctx, theirs.ids.connector),
    'the list of install keys': (ctx) => listKeys(ctx, PAGE),
    'the list of API keys': (ctx) => apiKeys.list(ctx, { ...PAGE, sort_by: 'name', order_by: 'asc' }),
  }
  it.each(Object.entries(readings))('reveals nothing of other namespaces without conditions: %s', async (_, read) => {
    const text = JSON.stringify(await read(careless().ctx))
    expect(text).toContain(mine.id)
    for (const [, id] of Object.entries(theirs.ids).filter(([name]) => !['keys', 'rule'].includes(name))) {
      expect(text).not.toContain(String(id))
    }
    expect(text).not.toContain(theirs.id)
  })

  it('drops the conditions of a use case in this test setup', async () => {
    const { ctx, plugin } = careless()
    // A device of theirs was requested, and the first one of ours was returned.
    expect(await devices.get(ctx, theirs.ids.device)).toMatchObject({ tenant_id: mine.id })
    expect(plugin.dropped).toEqual(['SelectQueryNode'])
  })

  const changes: Readonly<Record<string, (ctx: TenantContext) => Promise<unknown>>> = {
    'removing a device': (ctx) => devices.remove(ctx, theirs.ids.device, REMOVAL),
    'tagging a device': (ctx) => devices.setTags(ctx, theirs.ids.device, ['taken']),
    'ending a session': (ctx) => sessions.setAuthenticated(ctx, theirs.ids.session, true),
    'removing a public key': (ctx) => publicKeys.remove(ctx, theirs.ids.fingerprint),
    'removing a rule': (ctx) => firewall.remove(ctx, theirs.ids.rule),
    'closing a tunnel': (ctx) => tunnels.remove(tunnelDeps, ctx, theirs.ids.device, theirs.ids.tunnel),
    'removing a connector': (ctx) => connectors.remove(undialled, ctx, theirs.ids.connector),
    'removing a tag': (ctx) => tags.remove(ctx, 'rack'),
  }
  it.each(Object.entries(changes))('changes nothing of other namespaces without conditions: %s', async (_, change) => {
    const before = [await theirs.fingerprint(), await mine.fingerprint()]
    await change(careless().ctx)
    const [others, own] = [await theirs.fingerprint(), await mine.fingerprint()]
    expect(others).toBe(before[0])
    // Without an effect on our own rows the test would prove nothing.
    expect(own).not.toBe(before[1])
  })
})

describe('reused connection', () => {
  const visible = async (tenant: TestTenant): Promise<string[]> => {
    const rows = await test.database.forTenant(tenant.id).selectFrom('namespaces').select('tenant_id').execute()
    return rows.map((row) => row.tenant_id)
  }
  /** Backend process; all views share the pool's single connection. */
  const process = async (tenant: TestTenant): Promise<number> => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(
      test.database.forTenant(tenant.id),
    )
    return rows[0]?.pid ?? 0
  }
  it.each<[string, () => Promise<unknown>]>([
    ['a query', () => visible(mine)],
    ['a failed query', () => sql`select 1 / 0`.execute(test.database.forTenant(mine.id))],
    [
      'a rolled-back transaction',
      () =>
        test.database
          .forTenant(mine.id)
          .transaction()
          .execute(() => Promise.reject(new Error('rolled back'))),
    ],
  ])('shows a reused connection only rows of its new namespace after %s', async (_, use) => {
    const before = await process(mine)
    await use().catch(() => undefined)
    expect(await visible(theirs)).toEqual([theirs.id])
    expect(await process(theirs)).toBe(before)
  })

  it('resets the tenant of a connection changed inside a transaction', async () => {
    await test.database
      .forTenant(mine.id)
      .transaction()
      .execute((db) => sql`select set_config('bowline.tenant', ${theirs.id}, false)`.execute(db))
    expect(await visible(mine)).toEqual([mine.id])
  })
})
