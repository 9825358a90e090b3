// PostgreSQL's primary is lost, and a standby takes its place behind the one address that the nodes know.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChaosProxy, startChaosProxy } from '@bowline/testkit/chaos-proxy'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Agent, acceptDevice, startAgent } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { health } from '../support/health.ts'
import { type Postgres, postgresPrograms, promote, startStandby } from '../support/postgres.ts'
import { startWriter } from '../support/registrations.ts'
import type { Server } from '../support/server.ts'
import { type SshTarget, ssh } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Recorder, recordHistory } from './history/recorder.ts'
import { type Ground, laneThrough, prepareGround } from './traffic/lane.ts'
import { brokenOf, startTraffic } from './traffic/traffic.ts'

/** Longer than the failover, on a quiet machine. */
const WRITES_SECONDS = 8
const undo = cleanups()
let cluster: Cluster
let agent: Agent
let ground: Ground
let a: Server
let b: Server
let history: Recorder
/** The address of the database. */
let door: ChaosProxy
let primary: Postgres
showOnFailure(() => ({ a: a?.process, b: b?.process, agent: agent?.process }))

const through = (node: Server): SshTarget => ({ ...agent.target, port: node.ssh.port })
const countOf = ({ process }: Server, event: string): number => process.countOf(event)
const holder = (): string =>
  primary.sql(`select link_node from devices where uid = '${agent.device.uid}' and disconnected_at is null`, 'bowline')

/** The primary is killed, and the address leads to its standby, which is promoted. */
const LOSSES = {
  async 'is killed'(standby: Postgres) {
    await primary.kill()
    promote(standby)
    door.moveTo({ host: '127.0.0.1', port: standby.port }, 'cut')
  },
  // Connections to it learn nothing of it, and the first new ones find a standby that takes no writes yet.
  async 'is lost with its machine'(standby: Postgres) {
    door.moveTo({ host: '127.0.0.1', port: standby.port }, 'silent')
    await primary.kill()
    await until(
      'a node has found the standby',
      () => standby.sql("select count(*) from pg_stat_activity where application_name like 'bowline_system %'") !== '0',
    )
    promote(standby)
  },
}

describe.skipIf(!postgresPrograms)('a PostgreSQL with a standby (needs the package postgresql)', () => {
  beforeAll(async () => {
    cluster = await startCluster(2, { BOWLINE_TUNNELS_DOMAIN: 'tunnels.localhost' }, async (_, { port, url }) => {
      if (!door) {
        door = await startChaosProxy({ target: { host: '127.0.0.1', port } })
        undo(() => door.close())
      }
      return { BOWLINE_DATABASE_URL: url(door.port) }
    })
    undo(() => cluster.remove())
    primary = cluster.postgres
    const [first, second] = cluster.nodes
    if (!first || !second) throw new Error('there are no two nodes')
    ;[a, b] = [first, second]
    cluster.prefer([1, 0])
    agent = await startAgent(cluster.balanced, 'kept', acceptDevice, { BOWLINE_KEEPALIVE_INTERVAL: '5' })
    undo(() => agent.remove())
    await until('the second node holds the link', () => holder() === cluster.id(1))
    const folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-failover-'))
    undo(() => rm(folder, { recursive: true, force: true }))
    ground = await prepareGround({ agent, folder, steady: b, seconds: WRITES_SECONDS }, undo)
    const recorded = {
      get postgres() {
        return primary
      },
      nodes: cluster.nodes,
      id: (index: number) => cluster.id(index),
    }
    history = recordHistory(recorded, [agent])
    undo(() => history.stop())
  })

  it.each(Object.entries(LOSSES))(
    'whose primary %s: sessions go on, no acknowledged row is lost, and leases hold',
    async (name, lose) => {
      const standby = await startStandby(primary)
      undo(() => standby.stop())
      const running = await Promise.all(
        Object.entries({ b, a }).map(([at, node]) => startTraffic(laneThrough(ground, at, node))),
      )
      const writer = startWriter(a, 4, name.replaceAll(' ', '-'))
      await until('rows are acknowledged', () => writer.acknowledged.size >= 20)
      await lose(standby)
      primary = standby
      await until('a login is taken again', async () => (await ssh(through(a), ['true'])).code === 0)
      await until('the nodes have the database', async () => (await health(a)) === 200 && (await health(b)) === 200)
      writer.stop()
      for (const answer of await writer.done) expect(answer).toMatchObject({ status: expect.toBeOneOf([200, 503]) })
      history.acknowledged(writer.acknowledged)
      for (const { ended } of running) {
        const all = await ended
        for (const one of all) history.output(one)
        expect(brokenOf(all)).toEqual([])
      }
      expect((await ssh(through(b), ['echo works'])).stdout.toString()).toBe('works\n')
      expect(holder()).toBe(cluster.id(1))
      expect([a, b].flatMap((node) => [countOf(node, 'node.buried'), countOf(node, 'node.fenced')])).toEqual([
        0, 0, 0, 0,
      ])
      expect(await history.violations()).toEqual([])
    },
  )
})
