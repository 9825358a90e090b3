// Leases of several nodes on one database; time is set by hand where a node judges another.
import { randomUUID } from 'node:crypto'
import { systemClock } from '@bowline/base/clock'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { TenantId } from '@bowline/contract/schemas/common'
import { until } from '@bowline/testkit/until'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../db/database.ts'
import { silentLog } from '../platform/log.ts'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { type NodeLease, type NodeLeaseDeps, createNodeLease } from './lease.ts'
import { listNodes, putNode, takeJob } from './store.ts'
import { awaitEndOfEarlierRun } from './twin.ts'

let test: TestDatabase
const clock = new ManualClock()
/** Of nodes that renew their lease only when told to. */
const STANDING = new ManualClock()
const leases: NodeLease[] = []
const buried: string[] = []
const fenced: string[] = []
const displaced: string[] = []
beforeAll(async () => {
  test = await testDatabase()
})
afterEach(async () => {
  for (const lease of leases.splice(0)) await lease.close()
  await test.database.system().deleteFrom('nodes').execute()
  buried.length = 0
  fenced.length = 0
  displaced.length = 0
})
afterAll(() => test.close())

async function node(id: string, own: Partial<NodeLeaseDeps> = {}): Promise<NodeLease> {
  const lease = createNodeLease({
    db: test.database.system(),
    clock,
    log: silentLog,
    run: { id, life: randomUUID(), address: `${id}.example:4430`, keyPin: `pin of ${id}`, version: 'v1' },
    state: () => ({ links: 7, sessions: 3, listening: [] }),
    bury: async () => undefined,
    buried: (lost) => void buried.push(lost),
    fenced: () => void fenced.push(id),
    displaced: () => void displaced.push(id),
    askOthers: () => Promise.resolve([]),
    beaten: () => undefined,
    ...own,
  })
  await lease.start()
  leases.push(lease)
  return lease
}

/** Makes the heartbeat of a node old. */
async function silence(id: string): Promise<void> {
  const long = new Date(Date.now() - 60_000)
  await test.database.system().updateTable('nodes').set({ heartbeat_at: long }).where('id', '=', id).execute()
}

/** Lets nodes renew their leases for long enough to judge others; together, as they share a clock and none may miss a beat. */
async function steady(...nodes: readonly NodeLease[]): Promise<void> {
  for (let second = 0; second < 16; second += 1) {
    clock.advance(1_000)
    await Promise.all(nodes.map((each) => each.refresh()))
  }
}

describe('leases of nodes', () => {
  it('show each node the others that are alive, with address and key', async () => {
    const a = await node('a')
    const b = await node('b', { clock: STANDING })
    await a.refresh()
    expect(a.others).toMatchObject([{ id: 'b', address: 'b.example:4430', keyPin: 'pin of b' }])
    expect(b.others.map(({ id }) => id)).toEqual(['a'])
    await steady(a)
    await silence('b')
    await a.refresh()
    expect(a.others).toEqual([])
    expect([a.isAlive('a'), a.isAlive('b')]).toEqual([true, false])
  })

  it('cost one statement for each heartbeat', async () => {
    const statements: string[] = []
    const db = test.database.system().withPlugin({
      transformQuery({ node: query }) {
        statements.push(query.kind)
        return query
      },
      transformResult: ({ result }) => Promise.resolve(result),
    })
    const a = await node('a', { db })
    statements.length = 0
    await a.refresh()
    expect(statements).toEqual(['RawNode'])
  })

  it('are taken from a silent node by exactly one of the others', async () => {
    const [a, b] = [await node('a'), await node('b')]
    await node('silent', { clock: STANDING })
    await steady(a, b)
    await silence('silent')
    await Promise.all([a.refresh(), b.refresh()])
    // A node that closes waits for its burials.
    await Promise.all([a.close(), b.close()])
    expect(buried).toEqual(['silent'])
  })

  it('are taken from a node that stands still in a transaction, which is ended with its locks', async () => {
    const a = await node('a')
    const theirs = await openDatabase({ owner: test.owner, poolSize: 1, log: silentLog })
    await node('silent', {
      clock: STANDING,
      run: { id: 'silent', life: theirs.run, address: 'silent.example:4430', keyPin: 'pin of silent', version: 'v1' },
    })
    await takeJob(test.database.system(), 'a job', 'silent', 60)
    await steady(a)
    await silence('silent')
    const { promise: standing, reject: end } = Promise.withResolvers<never>()
    const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
    const open = theirs
      .system()
      .transaction()
      .execute(async (transaction) => {
        await sql`select 1 from job_leases where node = 'silent' for update`.execute(transaction)
        lock()
        return standing
      })
    open.catch(() => undefined)
    await locked
    await a.refresh()
    await until(() => buried.length === 1)
    end(new Error('it goes on'))
    await expect(open).rejects.toThrow(/connection|it goes on/)
    // Its next one has another connection.
    await theirs.ping()
    await theirs.close()
  })

  it('are left alone after an outage in which nobody could renew', async () => {
    const a = await node('a')
    await node('b', { clock: STANDING })
    await steady(a)
    await silence('b')
    // The outage: no heartbeat of this node either.
    clock.advance(60_000)
    await a.refresh()
    expect(buried).toEqual([])
    // What crosses the two goes on.
    expect(a.isAlive('b')).toBe(true)
  })

  it('cannot be renewed once lost: the node drops what it holds and begins anew', async () => {
    const a = await node('a')
    const silent = await node('silent', { clock: STANDING })
    await steady(a)
    await silence('silent')
    await a.refresh()
    await until(() => buried.length === 1)
    await silent.refresh()
    expect(fenced).toEqual(['silent'])
    await a.refresh()
    expect(a.others.map(({ id }) => id)).toEqual(['silent'])
  })

  it('are renewed while another node is being buried', async () => {
    const { promise: slow, resolve: finish } = Promise.withResolvers<void>()
    const a = await node('a', { bury: () => slow })
    await node('silent', { clock: STANDING })
    await steady(a)
    await silence('silent')
    await a.refresh()
    const heartbeat = async () => (await listNodes(test.database.system())).find(({ id }) => id === 'a')?.heartbeat_at
    const before = await heartbeat()
    await a.refresh()
    const after = await heartbeat()
    finish()
    expect(after?.getTime()).toBeGreaterThan(before?.getTime() ?? Number.NaN)
  })

  it('are not taken back from another process that runs as the same node: the one that lost it is told to stop', async () => {
    const a = await node('a')
    const db = test.database.system()
    const twin = { id: 'a', life: randomUUID(), address: 'twin.example:4430', keyPin: 'pin of the twin', version: 'v1' }
    await putNode(db, twin)
    await a.refresh()
    await a.refresh()
    expect([...new Set(displaced)]).toEqual(['a'])
    expect((await listNodes(db)).map(({ id, address }) => [id, address])).toEqual([['a', 'twin.example:4430']])
  })

  it('keep a second process from running as the same node while the heartbeat of the first moves', async () => {
    await node('a', { clock: systemClock })
    const db = test.database.system()
    await expect(awaitEndOfEarlierRun(db, 'a', systemClock)).rejects.toThrow(
      'another server process runs as node a (at a.example:4430). Each process needs a BOWLINE_DATA_DIR of its own',
    )
  })

  it('let a node start again whose earlier run has left, or has been silent for some seconds', async () => {
    const db = test.database.system()
    const left = await node('a')
    await left.close()
    await awaitEndOfEarlierRun(db, 'a', STANDING)
    await node('b', { clock: STANDING })
    await silence('b')
    await awaitEndOfEarlierRun(db, 'b', STANDING)
    expect(displaced).toEqual([])
  })

  it('end with the node, and its jobs with them', async () => {
    const a = await node('a')
    const b = await node('b')
    const db = test.database.system()
    expect(await takeJob(db, 'sweep', 'b', 60)).toBe(true)
    expect(await takeJob(db, 'sweep', 'a', 60)).toBe(false)
    await b.close()
    expect(await takeJob(db, 'sweep', 'a', 60)).toBe(true)
    await a.refresh()
    expect((await listNodes(db)).map(({ id, links }) => [id, links])).toEqual([['a', 7]])
  })

  it('tell who reads live events at another node', async () => {
    const tenant = TenantId.parse(randomUUID())
    const a = await node('a')
    const b = await node('b', { state: () => ({ links: 0, sessions: 0, listening: [tenant] }) })
    await b.refresh()
    await a.refresh()
    expect(a.isListenedToElsewhere(tenant)).toBe(true)
    expect(a.isListenedToElsewhere(TenantId.parse(randomUUID()))).toBe(false)
    expect(b.isListenedToElsewhere(tenant)).toBe(false)
  })
})
