// The history checker on a real cluster: nothing to name while devices come and go, and a stale lease that is planted.
import { beforeAll, describe, expect, it } from 'vitest'
import { type Agent, startAgent, untilOnline } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { postgresPrograms } from '../support/postgres.ts'
import { ssh } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Recorder, recordHistory } from './history/recorder.ts'

const undo = cleanups()
let cluster: Cluster
let agent: Agent
let history: Recorder
showOnFailure(() => ({ a: cluster?.nodes[0]?.process, b: cluster?.nodes[1]?.process, agent: agent?.process }))

/** Gives the link of the device to a node by hand, which no node does. */
function plant(node: string, epoch: string): void {
  const change = `link_node = '${node}', link_epoch = ${epoch}, disconnected_at = null`
  cluster.postgres.sql(`update devices set ${change} where uid = '${agent.device.uid}'`, 'bowline')
}

describe.skipIf(!postgresPrograms)('the history of a cluster (needs the package postgresql)', () => {
  beforeAll(async () => {
    cluster = await startCluster(2)
    undo(() => cluster.remove())
    cluster.prefer([1, 0])
    agent = await startAgent(cluster.balanced, 'observed')
    undo(() => agent.remove())
    history = recordHistory(cluster, [agent])
    undo(() => history.stop())
  })

  it('is sound when a device moves to another node and people log in', async () => {
    cluster.prefer([0, 1])
    await agent.process.end('SIGKILL')
    agent.start()
    const [a] = cluster.nodes
    const client = await a?.client()
    if (!client) throw new Error('there is no first node')
    await until('the link is taken anew', () => cluster.nodes[0]?.process.output().includes('"ev":"link.up"'))
    await untilOnline(client, agent.device.uid)
    expect((await ssh(agent.target, ['echo moved'])).stdout.toString()).toBe('moved\n')
    expect(await history.violations()).toEqual([])
  })

  it('names a stale lease: an epoch before, and a node that does not hold the device', async () => {
    const { uid } = agent.device
    plant(cluster.id(1), 'link_epoch - 1')
    const older = await history.violations(0)
    expect(older).toContainEqual(
      expect.stringMatching(`^stale lease: device ${uid}, epoch \\d+ of node ${cluster.id(1)}, after`),
    )
    plant(cluster.id(1), 'link_epoch + 9')
    const unheld = await history.violations(0)
    expect(unheld).toContainEqual(expect.stringMatching(`^stale lease: .* belongs to node ${cluster.id(1)}`))
    plant('a-node-that-is-lost', 'link_epoch + 1')
    const ofLost = await history.violations(0)
    expect(ofLost).toContainEqual(
      expect.stringMatching('^stale lease: .* still belongs to lost node a-node-that-is-lost'),
    )
  })
})
