// The network between two nodes is slow, cut in one direction, or resets connections: what crosses it ends with a cause or
// arrives whole, and what does not cross it is not touched.
import { toxiproxyMissing, type Toxiproxy, startToxiproxy } from '@bowline/testkit/toxiproxy'
import { freePort } from '@bowline/testkit/free-port'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Agent, startAgent } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { postgresPrograms } from '../support/postgres.ts'
import type { Server } from '../support/server.ts'
import { type SshTarget, ssh } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Recorder, recordHistory } from './history/recorder.ts'
import { startNumbered } from './numbered.ts'

const undo = cleanups()
let network: Toxiproxy
let cluster: Cluster
/** Its link is with the second node. */
let agent: Agent
let history: Recorder
showOnFailure(() => ({ a: cluster?.nodes[0]?.process, b: cluster?.nodes[1]?.process, agent: agent?.process }))

function node(index: 0 | 1): Server {
  const found = cluster.nodes[index]
  if (!found) throw new Error('there are two nodes')
  return found
}

/** The device through the node that does not hold its link, and through the one that does. */
const across = (): SshTarget => ({ ...agent.target, port: node(0).ssh.port })
const direct = (): SshTarget => ({ ...agent.target, port: node(1).ssh.port })
const unlinked = (): number => node(0).process.countOf('node.unlinked')

async function works(target: SshTarget): Promise<boolean> {
  const { code, stdout } = await ssh(target, ['echo works'])
  return code === 0 && stdout.toString() === 'works\n'
}

const missing = postgresPrograms ? toxiproxyMissing : 'postgresql is not installed'

describe.skipIf(missing)(`two nodes with a bad network between them (${missing ?? 'toxiproxy'})`, () => {
  beforeAll(async () => {
    network = await startToxiproxy()
    undo(() => network.close())
    cluster = await startCluster(2, {}, async () => {
      const port = await freePort()
      return { BOWLINE_NODE_PORT: String(port), BOWLINE_NODE_ADDRESS: `127.0.0.1:${await network.proxy(port)}` }
    })
    undo(() => cluster.remove())
    agent = await startAgent(node(1), 'far')
    undo(() => agent.remove())
    history = recordHistory(cluster, [agent])
    undo(() => history.stop())
  })

  it('carries a session over a slow one whole', async () => {
    const running = await startNumbered(across(), 10)
    for (const direction of ['upstream', 'downstream'] as const) {
      await network.add(direction, { type: 'latency', latency: 150, jitter: 50 })
      await network.add(direction, { type: 'bandwidth', rate: 200 })
    }
    const { code, ...output } = await running.ended
    history.output(output)
    expect(code).toBe(0)
    expect(await works(across())).toBe(true)
    await network.heal()
  })

  it.each(['upstream', 'downstream'] as const)(
    'ends what crosses one that is cut %s, refuses more, and has both nodes together again',
    async (direction) => {
      const before = unlinked()
      const beside = await startNumbered(direct(), 25)
      const crossing = await startNumbered(across(), 60)
      await network.add(direction, { type: 'timeout', timeout: 0 })
      await until('the nodes see it', () => unlinked() > before)
      expect((await crossing.ended).code).toBe(255)
      const { code: refused, stdout } = await ssh(across(), ['echo never'])
      expect([refused, stdout.toString()]).toEqual([255, ''])
      expect(await works(direct())).toBe(true)
      const { code, ...output } = await beside.ended
      history.output(output)
      expect(code).toBe(0)
      await network.heal()
      await until('logins cross again', () => works(across()))
    },
  )

  it('takes a new login as soon as connections that were reset are made anew', async () => {
    const before = unlinked()
    const crossing = await startNumbered(across(), 60)
    await network.add('downstream', { type: 'reset_peer', timeout: 0 })
    await until('the nodes see it', () => unlinked() > before)
    await network.heal()
    expect((await crossing.ended).code).toBe(255)
    await until('logins cross again', () => works(across()))
  })

  it('leaves a history without a violation: owners, sessions, what was shown', async () => {
    expect(await history.violations()).toEqual([])
  })
})
