// Each fault of a cluster crossed with each kind of traffic: a shell, SFTP, a forwarded port, a web terminal, a recording and a
// tunnel, by the node that holds the device's link and by another one. What does not cross the fault loses no byte.
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@bowline/testkit/free-port'
import { type RedisServer, redisMissing, startRedis } from '@bowline/testkit/redis'
import { type Swift, swiftMissing } from '@bowline/testkit/swift'
import { type Toxiproxy, startToxiproxy, toxiproxyMissing } from '@bowline/testkit/toxiproxy'
import { isLong, repeatedBy, shortForm } from '../../scripts/short-form.ts'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Agent, startAgent } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { postgresPrograms } from '../support/postgres.ts'
import type { Server } from '../support/server.ts'
import { ssh } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Recorder, recordHistory } from './history/recorder.ts'
import { startStore } from './store.ts'
import { type Ground, type Lane, laneThrough, prepareGround } from './traffic/lane.ts'
import { brokenOf, startTraffic } from './traffic/traffic.ts'

/** Longer than a node may be silent before it is given up. */
const SECONDS = isLong ? 60 : 20
/** Of the file that sftp fetches in that time. */
const BYTES = isLong ? 2 ** 30 : 2 ** 26
const undo = cleanups()
let redis: RedisServer
let swift: Swift
let network: Toxiproxy
let cluster: Cluster
let ground: Ground
let history: Recorder
let agent: Agent
showOnFailure(() => ({
  a: cluster?.nodes[0]?.process,
  b: cluster?.nodes[1]?.process,
  c: cluster?.nodes[2]?.process,
  agent: agent?.process,
}))

function node(index: 0 | 1 | 2): Server {
  const found = cluster.nodes[index]
  if (!found) throw new Error('there are three nodes')
  return found
}

/** By the node that holds the link, by another one, and by the third, which faults of nodes befall. */
const direct = (): Lane => laneThrough(ground, 'by the node of the device', node(1))
const across = (): Lane => laneThrough(ground, 'by another node', node(0))
const third = (): Lane => laneThrough(ground, 'by the third node', node(2))

const countOf = ({ process }: Server, event: string): number => process.countOf(event)
const works = async ({ target }: Lane): Promise<boolean> => (await ssh(target, ['true'])).code === 0

/** Waits until each of the nodes logs an event once more than it has until now. */
function untilLogged(event: string, nodes: readonly Server[]): () => Promise<unknown> {
  const before = nodes.map((one) => countOf(one, event))
  return () =>
    until(`nodes log ${event}`, () => nodes.every((one, at) => countOf(one, event) > (before[at] ?? 0)), 60_000)
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

/** The postmaster, which the file of its data folder names, and its children. */
function postgresProcesses(): number[] {
  const [postmaster = ''] = readFileSync(`${cluster.postgres.sql('show data_directory')}/postmaster.pid`, 'utf8').split(
    '\n',
  )
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ')
  return [postmaster, ...children].filter((pid) => pid !== '').map(Number)
}

/** Faults that nothing which people do passes: injects one, waits until it is felt, and returns what repairs it. */
const BESIDE = {
  async 'Redis is killed, and comes back empty'() {
    const lost = untilLogged('redis.lost', cluster.nodes)
    await redis.kill()
    await lost()
    await loginsWork()
    return async () => {
      const back = untilLogged('redis.connected', cluster.nodes)
      await redis.start()
      await back()
    }
  },
  async 'Redis stands still'() {
    redis.signal('SIGSTOP')
    await loginsWork()
    return async () => redis.signal('SIGCONT')
  },
  async 'the database stands still'() {
    const pids = postgresProcesses()
    signal(pids, 'SIGSTOP')
    onTestFinished(() => signal(pids, 'SIGCONT'))
    await until('balancers are told', async () => !(await fetch(`${node(0).origin}/healthcheck`)).ok)
    return async () => signal(pids, 'SIGCONT')
  },
  async 'the store of recordings is away'() {
    await swift.stop()
    // A recording that ends is uploaded at once.
    await ssh(direct().target, ['true'], { options: ['-tt'] })
    await until(
      'the health check reports it',
      async () => (await fetch(`${node(1).origin}/healthcheck`)).headers.get('x-degraded') === 'recording-store',
    )
    return () => swift.start()
  },
  async 'a third node stands still, and is given up'() {
    const { pid } = node(2).process
    process.kill(pid, 'SIGSTOP')
    onTestFinished(() => signal([pid], 'SIGCONT'))
    await until(
      'another gives it up',
      () => countOf(node(0), 'node.buried') + countOf(node(1), 'node.buried') > 0,
      60_000,
    )
    return async () => {
      const fenced = untilLogged('node.fenced', [node(2)])
      signal([pid], 'SIGCONT')
      await fenced()
      await until('it is one of them again', () => works(third()), 60_000)
    }
  },
} as const

async function loginsWork(): Promise<void> {
  expect(await Promise.all([direct(), across()].map(works))).toEqual([true, true])
}

const missing = postgresPrograms
  ? (redisMissing() ?? swiftMissing() ?? toxiproxyMissing)
  : 'postgresql is not installed'

// A fault takes as long as its traffic, more on a busy machine, and until a node is given up.
const options = { timeout: (3 * SECONDS + 120) * 1_000 }

describe.skipIf(missing)(
  `three nodes and all kinds of traffic (${missing ?? 'Redis, Swift, toxiproxy'})${repeatedBy}`,
  options,
  () => {
    beforeAll(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-traffic-'))
      undo(() => rm(folder, { recursive: true, force: true }))
      const files = join(folder, 'files')
      await mkdir(files)
      redis = await startRedis()
      undo(() => redis.kill())
      const store = await startStore()
      ;({ swift } = store)
      undo(() => swift.close())
      network = await startToxiproxy()
      undo(() => network.close())
      const shared = {
        ...store.settings,
        BOWLINE_REDIS_URL: redis.url(),
        BOWLINE_TUNNELS_DOMAIN: 'tunnels.localhost',
        BOWLINE_DRAIN_SECONDS: String(SECONDS + 60),
      }
      cluster = await startCluster(3, shared, async (index) => {
        const port = await freePort()
        return {
          BOWLINE_RECORDINGS_DIR: join(folder, `recordings-${index}`),
          BOWLINE_NODE_PORT: String(port),
          BOWLINE_NODE_ADDRESS: `127.0.0.1:${await network.proxy(port)}`,
        }
      })
      undo(() => cluster.remove())
      agent = await startAgent(node(1), 'busy')
      undo(() => agent.remove())
      ground = await prepareGround({ agent, folder: files, steady: node(1), seconds: SECONDS, bytes: BYTES }, undo)
      history = recordHistory(cluster, [agent])
      undo(() => history.stop())
    })

    it.each(shortForm(Object.entries(BESIDE), 3))('lose no byte of any while %s', async (_, inject) => {
      const running = await Promise.all([direct(), across()].map(startTraffic))
      const repair = await inject()
      // Whatever begins before the repair is through is part of the fault.
      await repair()
      for (const { ended } of running) {
        const all = await ended
        for (const one of all) history.output(one)
        expect(brokenOf(all)).toEqual([])
      }
      await loginsWork()
    })

    it('lose no byte of any, nor of what passes a third node, while that one is stopped', async () => {
      const running = await Promise.all([direct(), across(), third()].map(startTraffic))
      const { ended: stopped } = node(2).process
      process.kill(node(2).process.pid, 'SIGTERM')
      for (const { ended } of running) {
        const all = await ended
        for (const one of all) history.output(one)
        expect(brokenOf(all)).toEqual([])
      }
      expect((await stopped).code).toBe(0)
      await node(2).start()
      await until('it is one of them again', () => works(third()), 60_000)
    })

    it('lose, when a third node is killed, what passed it, and no byte of the others', async () => {
      const [beside, lost] = [await Promise.all([direct(), across()].map(startTraffic)), await startTraffic(third())]
      const buried = (): number => countOf(node(0), 'node.buried') + countOf(node(1), 'node.buried')
      const before = buried()
      await node(2).process.end('SIGKILL')
      for (const { ended } of beside) {
        const all = await ended
        for (const one of all) history.output(one)
        expect(brokenOf(all)).toEqual([])
      }
      await until('another gives it up', () => buried() > before, 60_000)
      await node(2).start()
      await until('it is one of them again', () => works(third()), 60_000)
      expect(brokenOf(await lost.ended)).toHaveLength(6)
    })

    it.each(shortForm(['upstream', 'downstream'] as const, 2))(
      'end, when nodes hear nothing of one another (%s), what crosses, and lose no byte of what does not',
      async (direction) => {
        const [beside, crossing] = await Promise.all([direct(), across()].map(startTraffic))
        const unlinked = untilLogged('node.unlinked', [node(0), node(1)])
        await network.add(direction, { type: 'timeout', timeout: 0 })
        await unlinked()
        const all = (await beside?.ended) ?? []
        for (const one of all) history.output(one)
        expect(brokenOf(all)).toEqual([])
        await network.heal()
        await until('logins cross again', () => works(across()), 60_000)
        expect(brokenOf((await crossing?.ended) ?? [])).toHaveLength(6)
      },
    )

    it('leave a history without a violation: owners, sessions, recordings, what was shown', async () => {
      expect(await history.violations()).toEqual([])
    })
  },
)
