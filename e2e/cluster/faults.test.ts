// A node that stands still, and a database that is away: what goes on, what ends, and that nothing is given up twice.
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Agent, acceptDevice, startAgent, untilOnline } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { postgresPrograms } from '../support/postgres.ts'
import type { Server } from '../support/server.ts'
import { type SshTarget, ssh, startEcho } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Recorder, recordHistory } from './history/recorder.ts'
import { startNumbered } from './numbered.ts'

const undo = cleanups()
let cluster: Cluster
let agent: Agent
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
const countOf = ({ process }: Server, event: string): number => process.countOf(event)

/** Processes of PostgreSQL: the postmaster, which the file of its data folder names, and its children. */
function postgresProcesses(): number[] {
  const folder = cluster.postgres.sql('show data_directory')
  const [postmaster = ''] = readFileSync(`${folder}/postmaster.pid`, 'utf8').split('\n')
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ')
  return [postmaster, ...children].filter((pid) => pid !== '').map(Number)
}

function signal(pids: readonly number[], name: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has ended by itself.
    }
  }
}

describe.skipIf(!postgresPrograms)('two nodes and a fault (needs the package postgresql)', () => {
  beforeAll(async () => {
    cluster = await startCluster(2)
    undo(() => cluster.remove())
    const [first, second] = cluster.nodes
    if (!first || !second) throw new Error('there are no two nodes')
    ;[a, b] = [first, second]
    cluster.prefer([1, 0])
    agent = await startAgent(cluster.balanced, 'between', acceptDevice, { BOWLINE_KEEPALIVE_INTERVAL: '5' })
    undo(() => agent.remove())
    history = recordHistory(cluster, [agent])
    undo(() => history.stop())
    await until('the second node holds the link', () => holder() === cluster.id(1))
  })

  it('while the database is away nobody is given up, and sessions go on, across nodes too', async () => {
    // For longer than a node may be silent before it is given up.
    const numbered = await Promise.all([b, a].map((node) => startNumbered(through(node), 20)))
    const pids = postgresProcesses()
    onTestFinished(() => signal(pids, 'SIGCONT'))
    signal(pids, 'SIGSTOP')
    for (const { ended } of numbered) {
      const output = await ended
      history.output(output)
      expect(output).toMatchObject({ code: 0, got: output.wanted })
    }
    signal(pids, 'SIGCONT')
    await until('a login is taken again', async () => (await ssh(through(a), ['true'])).code === 0, 60_000)
    expect([countOf(a, 'node.buried'), countOf(b, 'node.buried')]).toEqual([0, 0])
    expect(holder()).toBe(cluster.id(1))
  })

  it('a node that stands still is given up once; when it goes on it ends what it had and is one of them again', async () => {
    const onB = await startEcho(through(b))
    // What balancers do with a node that does not answer.
    cluster.prefer([0, 1])
    process.kill(b.process.pid, 'SIGSTOP')
    onTestFinished(() => signal([b.process.pid], 'SIGCONT'))
    await until('the other node holds the link', () => holder() === cluster.id(0), 60_000)
    expect((await ssh(through(a), ['echo taken over'])).stdout.toString()).toBe('taken over\n')
    await until('the other node gives it up', () => countOf(a, 'node.buried') === 1, 60_000)
    signal([b.process.pid], 'SIGCONT')
    expect((await onB.result).code).toBe(255)
    await until('it is one of them again', async () => {
      const { code } = await ssh(through(b), ['true'])
      return code === 0
    })
    await untilOnline(await b.client(), agent.device.uid)
    expect((await ssh(through(b), ['echo hello'])).stdout.toString()).toBe('hello\n')
    expect(holder()).toBe(cluster.id(0))
    expect([countOf(a, 'node.buried'), countOf(b, 'node.fenced')]).toEqual([1, 1])
  })

  it('leave a history without a violation: owners, sessions, what was shown', async () => {
    expect(await history.violations()).toEqual([])
  })
})
