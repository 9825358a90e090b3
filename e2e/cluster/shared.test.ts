// What one node does and another has: ends of sessions, changes of policy, live events, removed devices.
import { operations } from '@bowline/contract/operations'
import type { SessionUid } from '@bowline/contract/schemas/common'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Agent, startAgent } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { listenToEvents } from '../support/events.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { postgresPrograms } from '../support/postgres.ts'
import type { Client, Server } from '../support/server.ts'
import { type EchoSession, type SshTarget, ssh, startEcho } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'

const undo = cleanups()
let cluster: Cluster
let agent: Agent
let a: Server
let b: Server
let onA: Client
let onB: Client
showOnFailure(() => ({ a: a?.process, b: b?.process, agent: agent?.process }))

const through = (node: Server): SshTarget => ({ ...agent.target, port: node.ssh.port })

/** A session through a node that is seen as active by the other. */
async function activeSession(node: Server, client: Client): Promise<{ session: EchoSession; uid: SessionUid }> {
  const session = await startEcho(through(node))
  const uid = await until('the session is active', async () => {
    const { body } = await client.call(operations.sessions.list, { query: {} })
    return body.find(({ active }) => active)?.uid
  })
  return { session, uid }
}

describe.skipIf(!postgresPrograms)('two nodes of one installation (needs the package postgresql)', () => {
  beforeAll(async () => {
    cluster = await startCluster(2)
    undo(() => cluster.remove())
    const [first, second] = cluster.nodes
    if (!first || !second) throw new Error('there are no two nodes')
    ;[a, b] = [first, second]
    agent = await startAgent(b, 'shared')
    undo(() => agent.remove())
    onA = await a.client()
    onB = await b.client()
  })

  it('end a session of one node by a call to the other', async () => {
    const { session, uid } = await activeSession(a, onB)
    await onB.call(operations.sessions.close, { params: { uid }, body: { device: agent.device.uid } })
    const { code } = await session.result
    expect(code).toBe(255)
    const closed = await until('the row is closed', async () => {
      const { body } = await onA.call(operations.sessions.get, { params: { uid } })
      return body.closed
    })
    expect(closed).toMatchObject({ by: 'admin', reason: 'closed' })
  })

  it('end sessions of one node when a firewall rule is made at the other', async () => {
    const { session, uid } = await activeSession(a, onA)
    const rule = {
      action: 'deny' as const,
      active: true,
      priority: 1,
      source_ip: '.*',
      username: '.*',
      filter: { hostname: '.*' },
    }
    const { body: made } = await onB.call(operations.firewall.create, { body: rule })
    onTestFinished(async () => {
      await onB.call(operations.firewall.remove, { params: { id: made.id } })
    })
    expect((await session.result).code).toBe(255)
    // Its end is stored after the client has been told.
    const closed = await until('the end is stored', async () => {
      return (await onB.call(operations.sessions.get, { params: { uid } })).body.closed
    })
    expect(closed).toMatchObject({ by: 'policy', reason: 'firewall' })
  })

  it('tell at each node of what happens at the other', async () => {
    const log = await listenToEvents(onA)
    onTestFinished(() => log.stop())
    const hasHeard = (type: string) => log.events.some((event) => event.type === type)
    // Until then the other node need not know that somebody listens.
    await until('the listener is told to read anew', () => hasHeard('reset'))
    const session = await startEcho(through(b))
    await until('the session is told', () => hasHeard('session.started'))
    session.end()
    await until('its end is told', () => hasHeard('session.ended'))
    expect(log.events.map(({ type }) => type)).toContain('session.ended')
  })

  it('have a device online again whose namespace the other node has deleted and restored at once', async () => {
    await onA.call(operations.namespaces.remove, { params: { tenant: a.tenant } })
    // Tokens of the namespace have ended.
    const owner = await a.client()
    await owner.call(operations.namespaces.restore, { params: { tenant: a.tenant } })
    const isOnline = async () => {
      const { body } = await (await b.client()).call(operations.devices.get, { params: { uid: agent.device.uid } })
      return body.online && (await ssh(through(a), ['true'])).code === 0
    }
    expect(await until('the device is online', isOnline)).toBe(true)
    ;[onA, onB] = [await a.client(), await b.client()]
  })

  it('drop the link of a device that is removed at the other node, and its sessions', async () => {
    const session = await startEcho(through(a))
    await onA.call(operations.devices.remove, { params: { uid: agent.device.uid } })
    expect((await session.result).code).toBe(255)
    expect((await ssh(through(a), ['true'])).code).toBe(255)
    await until('the link is dropped', () => agent.process.output().includes('"reason":"removed"'))
  })
})
