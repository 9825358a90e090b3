// A node that alone is cut off from the database, while the other one has it.
import { operations } from '@bowline/contract/operations'
import { type ChaosProxy, startChaosProxy } from '@bowline/testkit/chaos-proxy'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Agent, acceptDevice, startAgent, untilOnline } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { postgresPrograms } from '../support/postgres.ts'
import type { Server } from '../support/server.ts'
import { type SshTarget, ssh, startEcho } from '../support/ssh.ts'
import { until, within } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Recorder, recordHistory } from './history/recorder.ts'

const undo = cleanups()
let cluster: Cluster
let agent: Agent
/** The second node's way to the database. */
let way: ChaosProxy
let a: Server
let b: Server
let history: Recorder
showOnFailure(() => ({ a: a?.process, b: b?.process, agent: agent?.process }))

const through = (node: Server): SshTarget => ({ ...agent.target, port: node.ssh.port })
const holder = (): string =>
  cluster.postgres
    .sql(`set role bowline_system; select link_node from devices where uid = '${agent.device.uid}'`, 'bowline')
    .split('\n')
    .at(-1) ?? ''
/** Times at which a node has logged an event. */
const timesOf = ({ process }: Server, event: string): string[] =>
  process
    .output()
    .split('\n')
    .filter((line) => line.includes(`"ev":"${event}"`))
    .map((line) => String((JSON.parse(line) as { time: unknown }).time))
const health = ({ origin }: Server): Promise<number> => fetch(`${origin}/healthcheck`).then(({ status }) => status)

describe.skipIf(!postgresPrograms)('a node that alone has lost the database (needs the package postgresql)', () => {
  beforeAll(async () => {
    cluster = await startCluster(2, {}, async (index, { port, url }) => {
      if (index !== 1) return {}
      way = await startChaosProxy({ target: { host: '127.0.0.1', port } })
      undo(() => way.close())
      return { BOWLINE_DATABASE_URL: url(way.port) }
    })
    undo(() => cluster.remove())
    const [first, second] = cluster.nodes
    if (!first || !second) throw new Error('there are no two nodes')
    ;[a, b] = [first, second]
    cluster.prefer([1, 0])
    agent = await startAgent(cluster.balanced, 'given-away', acceptDevice, { BOWLINE_KEEPALIVE_INTERVAL: '5' })
    undo(() => agent.remove())
    history = recordHistory(cluster, [agent])
    undo(() => history.stop())
    await until('the second node holds the link', () => holder() === cluster.id(1))
  })

  it('ends what it has before the other one takes its devices, refuses logins, and is one of them again', async () => {
    const onB = await startEcho(through(b))
    const acrossB = await startEcho(through(a))
    cluster.prefer([0, 1])
    way.setConditions({ silent: true })
    onTestFinished(() => way.setConditions({}))
    const [ended, across] = await within(40_000, 'the sessions end', Promise.all([onB.result, acrossB.result]))
    expect([ended.code, across.code]).toEqual([255, 255])
    expect(await health(b)).toBe(503)
    expect((await ssh(through(b), ['true'])).stderr).toContain('cannot take sessions right now')

    await until('the other node gives it up', () => timesOf(a, 'node.buried').length === 1, 40_000)
    const [[fencedAt = ''], [buriedAt = '']] = [timesOf(b, 'node.fenced'), timesOf(a, 'node.buried')]
    expect(new Date(fencedAt).getTime()).toBeLessThan(new Date(buriedAt).getTime())
    await until('the other node holds the link', () => holder() === cluster.id(0), 40_000)
    expect((await ssh(through(a), ['echo taken over'])).stdout.toString()).toBe('taken over\n')

    way.setConditions({})
    await until('it takes logins again', async () => (await ssh(through(b), ['true'])).code === 0, 60_000)
    await untilOnline(await b.client(), agent.device.uid)
    expect((await ssh(through(b), ['echo hello'])).stdout.toString()).toBe('hello\n')
    expect([holder(), await health(b)]).toEqual([cluster.id(0), 200])
    const client = await a.client()
    const { body: sessions } = await client.call(operations.sessions.list, { query: { per_page: '100' } })
    expect(sessions.filter(({ closed }) => !closed)).toEqual([])
    expect(await history.violations()).toEqual([])
  })
})
