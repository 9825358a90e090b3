// The trace of a login at one node on a device of the other: both nodes send their spans of it.
import { beforeAll, describe, expect, it } from 'vitest'
import { type Agent, startAgent } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { postgresPrograms } from '../support/postgres.ts'
import { ssh } from '../support/ssh.ts'
import { type FakeCollector, startFakeCollector } from '../tracing/fake-collector.ts'
import { type Cluster, startCluster } from './cluster.ts'

const undo = cleanups()
let cluster: Cluster
let agent: Agent
/** One per node. */
let collectors: readonly [FakeCollector, FakeCollector]
showOnFailure(() => ({ a: cluster?.nodes[0]?.process, b: cluster?.nodes[1]?.process, agent: agent?.process }))

describe.skipIf(!postgresPrograms)('two nodes with a collector each (needs postgresql)', () => {
  beforeAll(async () => {
    collectors = [await startFakeCollector(), await startFakeCollector()]
    for (const collector of collectors) undo(() => collector.close())
    cluster = await startCluster(2, {}, async (index) => ({ BOWLINE_OTLP_URL: collectors[index === 0 ? 0 : 1].url }))
    undo(() => cluster.remove())
    const [, holder] = cluster.nodes
    if (!holder) throw new Error('there is no second node')
    agent = await startAgent(holder, 'crossed')
    undo(() => agent.remove())
  })

  it('send one trace of a login that crosses them', async () => {
    const [entry] = cluster.nodes
    const target = { ...agent.target, port: entry?.ssh.port ?? 0 }
    expect((await ssh(target, ['echo across'])).stdout.toString()).toBe('across\n')
    // Pending spans are sent when a node stops.
    await Promise.all(cluster.nodes.map(({ process }) => process.end()))

    const [near, far] = collectors
    const root = near.spans.find(({ name, parent }) => name === 'ssh.login' && parent === '')
    expect(near.spans.filter(({ trace }) => trace === root?.trace).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['login.reach', 'device.auth', 'process.start']),
    )
    const relayed = far.spans.filter(({ name }) => name === 'node.relay')
    const kinds = new Set(relayed.map(({ attributes }) => attributes['bowline.stream']))
    expect(kinds).toEqual(new Set(['auth', 'session']))
    expect(relayed).toHaveLength(2)
    for (const span of relayed) expect(span).toMatchObject({ trace: root?.trace, parent: root?.id })
  })
})
