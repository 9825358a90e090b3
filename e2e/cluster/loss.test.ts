// A node is killed, and another is stopped: what becomes of devices, sessions and their rows.
import { createHash } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Agent, startAgent, untilOnline } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { postgresPrograms } from '../support/postgres.ts'
import type { Client, Server } from '../support/server.ts'
import { type SshTarget, pipeThrough, ssh, startEcho } from '../support/ssh.ts'
import { until, within } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Recorder, recordHistory } from './history/recorder.ts'

const LINES = 400_000
const undo = cleanups()
let cluster: Cluster
/** Its link moves with the balancer. */
let moving: Agent
/** Its link is held by the first node throughout. */
let staying: Agent
let a: Server
let b: Server
let c: Server
let client: Client
let history: Recorder
showOnFailure(() => ({ a: a?.process, b: b?.process, c: c?.process, moving: moving?.process }))

const through = (agent: Agent, node: Server): SshTarget => ({ ...agent.target, port: node.ssh.port })
const holder = (agent: Agent): string =>
  cluster.postgres
    .sql(`set role bowline_system; select link_node from devices where uid = '${agent.device.uid}'`, 'bowline')
    .split('\n')
    .at(-1) ?? ''
const closedRows = async () =>
  (await client.call(operations.sessions.list, { query: { per_page: '100' } })).body.flatMap(({ closed }) =>
    closed ? [`${closed.by} ${closed.reason}`] : [],
  )
const open = async () =>
  (await client.call(operations.sessions.list, { query: { per_page: '100' } })).body.filter(({ closed }) => !closed)

describe.skipIf(!postgresPrograms)('three nodes, of which one goes (needs the package postgresql)', () => {
  beforeAll(async () => {
    cluster = await startCluster(3, { BOWLINE_DRAIN_SECONDS: '60' })
    undo(() => cluster.remove())
    const [first, second, third] = cluster.nodes
    if (!first || !second || !third) throw new Error('there are no three nodes')
    ;[a, b, c] = [first, second, third]
    client = await a.client()
    cluster.prefer([1, 2, 0])
    moving = await startAgent(cluster.balanced, 'moving')
    undo(() => moving.remove())
    staying = await startAgent(a, 'staying')
    undo(() => staying.remove())
    history = recordHistory(cluster, [moving, staying])
    undo(() => history.stop())
    await until(
      'each link is where it is meant to be',
      () => holder(moving) === cluster.id(1) && holder(staying) === cluster.id(0),
    )
  })

  it('a killed node: its devices come back elsewhere, its rows are closed once, and sessions of others lose no byte', async () => {
    const wanted = createHash('sha256')
    for (let line = 1; line <= LINES; line += 1) wanted.update(`${line}\n`)
    // Paced, so that it spans the loss.
    const numbered = pipeThrough(
      through(staying, c),
      `python3 -c 'import time
for part in range(20):
  for line in range(${LINES} // 20): print(part * ${LINES} // 20 + line + 1)
  time.sleep(1)'`,
    )
    const [onB, acrossB] = [await startEcho(through(moving, b)), await startEcho(through(moving, a))]
    await b.process.end('SIGKILL')
    expect((await onB.result).code).toBe(255)
    const across = await within(20_000, 'the session across the lost node ends', acrossB.result)
    expect(across.code).toBe(255)
    expect(across.stderr).toContain('The connection to the server that holds the device was lost.')

    await until('another node holds the link', () => holder(moving) === cluster.id(2), 20_000)
    expect((await ssh(through(moving, a), ['echo back'])).stdout.toString()).toBe('back\n')
    await until(
      'the rows of the lost node are closed',
      async () => (await closedRows()).includes('gateway node-lost'),
      40_000,
    )
    const causes = await closedRows()
    expect(causes.filter((cause) => cause === 'gateway node-lost')).toHaveLength(1)
    expect(causes.filter((cause) => cause === 'network node-lost')).toHaveLength(1)
    const buried = [a, c].map((node) => node.process.countOf('node.buried'))
    expect(buried[0] ?? 0).toBeLessThanOrEqual(1)
    expect((buried[0] ?? 0) + (buried[1] ?? 0)).toBe(1)
    expect(await numbered).toMatchObject({ code: 0, sha256: wanted.digest('hex') })
  })

  it('a node that comes back is one of them again', async () => {
    await b.start()
    await untilOnline(await b.client(), moving.device.uid)
    expect((await ssh(through(moving, b), ['echo hello'])).stdout.toString()).toBe('hello\n')
  })

  it('a stopped node: balancers see it, its agents move, sessions on it and across it go on until they end', async () => {
    cluster.prefer([1, 0, 2])
    const [onC, acrossC] = [await startEcho(through(moving, c)), await startEcho(through(moving, a))]
    const ended = c.process.end('SIGTERM')
    const health = () =>
      fetch(`${c.origin}/healthcheck`).then(
        ({ status }) => status,
        () => 0,
      )
    await until('balancers see that it stops', async () => (await health()) === 503)
    const refused = await ssh(through(moving, c), ['true'])
    expect(refused.stderr).toContain('the server is stopping')
    await until('its agent has moved', () => holder(moving) === cluster.id(1), 20_000)
    await onC.echo('still here')
    await acrossC.echo('and here')
    expect((await ssh(through(moving, a), ['echo moved'])).stdout.toString()).toBe('moved\n')
    // Balancers that ask for no health, and prefer the node with the fewest connections, go elsewhere from then on.
    await until('its ports are closed', async () => (await health()) === 0, 20_000)
    expect((await ssh(through(moving, c), ['true'])).stderr).toContain('Connection refused')
    onC.end()
    expect((await onC.result).code).toBe(0)
    // The login of another node is waited for as well.
    await acrossC.echo('the last one')
    acrossC.end()
    expect((await acrossC.result).code).toBe(0)
    expect((await ended).code).toBe(0)
    expect(cluster.postgres.sql('select count(*) from nodes', 'bowline')).toBe('2')
    expect(await open()).toEqual([])
  })

  it('an agent that is killed with its device shows as offline on every node', async () => {
    await moving.process.end('SIGKILL')
    const shown = await until('every node shows it offline', async () => {
      const online = await Promise.all(
        [a, b].map(async (node) => {
          const one = await node.client()
          return (await one.call(operations.devices.get, { params: { uid: moving.device.uid } })).body.online
        }),
      )
      return online.every((one) => !one) && online
    })
    expect(shown).toEqual([false, false])
  })

  it('leave a history without a violation: owners, sessions, what was shown', async () => {
    expect(await history.violations()).toEqual([])
  })
})
