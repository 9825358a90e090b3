// PostgreSQL's primary is lost with rows that its asynchronous standby has never received. Ids of messages between nodes
// are then given a second time.
import { type ChaosProxy, startChaosProxy } from '@bowline/testkit/chaos-proxy'
import { operations } from '@bowline/contract/operations'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Agent, acceptDevice, startAgent } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { health } from '../support/health.ts'
import { postgresPrograms, promote, startStandby } from '../support/postgres.ts'
import type { Server } from '../support/server.ts'
import { ssh, startEcho } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'

/** More than the values of a sequence (32) that PostgreSQL logs ahead. */
const LOST_MESSAGES = 200
const NEWEST = 'select coalesce(max(id), 0) from node_messages'
const OPEN_SESSIONS = 'select count(*) from sessions where closed_at is null'
const holderOf = ({ device }: Agent): string =>
  `select link_node from devices where uid = '${device.uid}' and disconnected_at is null`
/** Messages that a node has read and does not know. */
const unknownTo = ({ process }: Server): number => process.output().split('unknown message').length - 1

const undo = cleanups()
let cluster: Cluster
let agent: Agent
/** Connects to the other node while the standby receives nothing. */
let moving: Agent
let a: Server
let b: Server
let door: ChaosProxy
showOnFailure(() => ({ a: a?.process, b: b?.process, agent: agent?.process }))

describe.skipIf(!postgresPrograms)('two nodes whose standby lags behind (needs the package postgresql)', () => {
  beforeAll(async () => {
    cluster = await startCluster(2, {}, async (_, { port, url }) => {
      if (!door) {
        door = await startChaosProxy({ target: { host: '127.0.0.1', port } })
        undo(() => door.close())
      }
      return { BOWLINE_DATABASE_URL: url(door.port) }
    })
    undo(() => cluster.remove())
    const [first, second] = cluster.nodes
    if (!first || !second) throw new Error('there are no two nodes')
    ;[a, b] = [first, second]
    agent = await startAgent(b, 'kept')
    undo(() => agent.remove())
    cluster.prefer([1, 0])
    moving = await startAgent(cluster.balanced, 'moving')
    undo(() => moving.remove())
  })

  it('tell each other of changes and reach each device after a failover that lost messages and claims', async () => {
    const primary = cluster.postgres
    const standby = await startStandby(primary)
    undo(() => standby.stop())
    for (const name of ['synchronous_standby_names', 'synchronous_commit']) primary.sql(`alter system reset ${name}`)
    primary.sql('select pg_reload_conf()')
    const session = await startEcho({ ...agent.target, port: b.ssh.port })
    await until('the standby has the session', () => standby.sql(OPEN_SESSIONS, 'bowline') === '1')
    standby.sql("alter system set primary_conninfo = ''")
    standby.sql('select pg_reload_conf()')
    await until('the standby receives nothing', () => primary.sql('select count(*) from pg_stat_replication') === '0')
    const before = Number(primary.sql(NEWEST, 'bowline'))
    primary.sql(
      `insert into node_messages (node, body)
         select 'gone', '{"type": "of-a-later-version"}' from generate_series(1, ${LOST_MESSAGES})`,
      'bowline',
    )
    await until('the nodes have read them', () => [a, b].every((node) => unknownTo(node) >= LOST_MESSAGES))
    const late = await startAgent(b, 'late')
    undo(() => late.remove())
    cluster.prefer([0, 1])
    await moving.process.end()
    moving.start()
    await until('the first node holds the device', () => primary.sql(holderOf(moving), 'bowline') === cluster.id(0))
    await primary.kill()
    promote(standby)
    expect(Number(standby.sql(NEWEST, 'bowline'))).toBeLessThanOrEqual(before)
    door.moveTo({ host: '127.0.0.1', port: standby.port }, 'cut')
    await until('the nodes have the database', async () => (await health(a)) === 200 && (await health(b)) === 200)

    expect(standby.sql(holderOf(moving), 'bowline')).toBe(cluster.id(1))
    await until('both nodes reach the device', async () => {
      const logins = [a, b].map((node) => ssh({ ...moving.target, port: node.ssh.port }, ['true']))
      return (await Promise.all(logins)).every(({ code }) => code === 0)
    })
    await until('the device whose registration is lost has registered anew', () =>
      late.process.output().includes('"reason":"unknown-device"'),
    )
    await acceptDevice(await a.client(), late.device.name)
    await until('both nodes reach it', async () => {
      const logins = [a, b].map((node) => ssh({ ...late.target, port: node.ssh.port }, ['true']))
      return (await Promise.all(logins)).every(({ code }) => code === 0)
    })
    await session.echo('still there')
    const rule = { action: 'deny', active: true, priority: 1, source_ip: '.*', username: '.*' } as const
    await (await a.client()).call(operations.firewall.create, { body: { ...rule, filter: { hostname: '.*' } } })
    expect((await session.result).code).toBe(255)
    expect((await ssh({ ...agent.target, port: b.ssh.port }, ['true'])).code).toBe(255)
  })
})
