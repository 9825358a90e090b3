// Records the history of a cluster while a test injects faults, and checks it afterwards.
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import type { Agent } from '../../support/agent.ts'
import type { Postgres } from '../../support/postgres.ts'
import type { Client, Server } from '../../support/server.ts'
import type { AgentSaid, Change, History, NodeSaid, Output, Shown } from './history.ts'
import { violationsOf } from './invariants.ts'
import { type LinkEvent, createLinkLog } from './link-log.ts'
import { keepChanges, readChanges } from './rows.ts'
import { until } from '../../support/wait.ts'

const DATABASE = 'bowline'
const LOOK_MS = 1_000
const SETTLED_MS = 20_000

/** The parts of a cluster. */
export interface Recorded {
  /** The primary, which may become another one. */
  readonly postgres: Postgres
  readonly nodes: readonly Server[]
  id(index: number): string
}

export interface Recorder {
  /** The API has acknowledged these devices. */
  acknowledged(uids: Iterable<string>): void
  /** A session with numbered output has ended. */
  output(output: Output): void
  /**
   * What does not hold; empty for a sound history.
   * @param settledMs within this time the installation settles: ends are stored, recordings sealed
   * @throws {Error} when the database or the API does not answer
   */
  violations(settledMs?: number): Promise<string[]>
  stop(): void
}

/** Begins to record. @param agents whose devices the nodes are asked for */
export function recordHistory(cluster: Recorded, agents: readonly Agent[]): Recorder {
  keepChanges(cluster.postgres, DATABASE)
  const shown: Shown[] = []
  const outputs: Output[] = []
  const acknowledged = new Set<string>()
  const nodeLogs = cluster.nodes.map(createLinkLog)
  const agentLogs = agents.map(createLinkLog)
  const asking = new Set<Server>()
  const runs = ({ process: { child } }: Server): boolean => child.exitCode === null && child.signalCode === null

  function look(): void {
    for (const [index, node] of cluster.nodes.entries()) {
      nodeLogs[index]?.follow(node.process)
      // One that stands still answers when it goes on.
      if (!runs(node) || asking.has(node)) continue
      asking.add(node)
      void ask(node, cluster.id(index))
        .catch(() => undefined)
        .finally(() => asking.delete(node))
    }
    for (const [index, agent] of agents.entries()) agentLogs[index]?.follow(agent.process)
  }

  async function ask(node: Server, id: string): Promise<void> {
    const client = await node.client()
    for (const { device } of agents) {
      const at = Date.now()
      const { body } = await client.call(operations.devices.get, { params: { uid: device.uid } })
      shown.push({ at, node: id, device: device.uid, online: body.online })
    }
  }

  async function read(): Promise<History> {
    look()
    const changes = readChanges(cluster.postgres, DATABASE)
    const kept = cluster.postgres.sql('select uid from devices', DATABASE).split('\n')
    const running = cluster.nodes.filter(runs)
    const client = await running[0]?.client()
    return {
      changes,
      nodesSaid: nodeLogs.flatMap(({ events }, index) => ofNode(cluster.id(index), events)),
      agentsSaid: agents.flatMap(({ device }, index) => ofAgent(device.uid, agentLogs[index]?.events ?? [])),
      shown,
      outputs,
      acknowledged,
      kept: new Set(kept),
      intact: client ? await intactOf(client, changes) : new Set(),
      running: new Set(cluster.nodes.flatMap((node, index) => (runs(node) ? [cluster.id(index)] : []))),
    }
  }

  look()
  const timer = setInterval(look, LOOK_MS)
  return {
    acknowledged(uids) {
      for (const uid of uids) acknowledged.add(uid)
    },
    output: (output) => void outputs.push(output),
    async violations(settledMs = SETTLED_MS) {
      let found: string[] = []
      const isSound = async (): Promise<boolean> => (found = violationsOf(await read())).length === 0
      await until('the history is sound', isSound, settledMs).catch((error: unknown) => {
        if (found.length === 0) throw error
      })
      return found
    },
    stop: () => clearInterval(timer),
  }
}

function ofNode(node: string, events: readonly LinkEvent[]): NodeSaid[] {
  const said: NodeSaid[] = []
  for (const { change, device, epoch } of events) {
    if (change !== 'ended') said.push({ node, device, epoch, change })
    else for (const one of said.filter((each) => each.change === 'up')) said.push({ ...one, change: 'down' })
  }
  return said
}

/** An agent has two links while it moves from one to the other. */
function ofAgent(device: string, events: readonly LinkEvent[]): AgentSaid[] {
  let links = 0
  return events.map(({ at, change }) => {
    links = change === 'up' ? links + 1 : change === 'down' ? Math.max(0, links - 1) : 0
    return { at, device, isLinked: links > 0 }
  })
}

async function intactOf({ call }: Client, changes: readonly Change[]): Promise<Set<string>> {
  const intact = new Set<string>()
  for (const change of changes) {
    if (change.what !== 'recording' || !change.isSealed) continue
    const params = { uid: SessionUid.parse(change.session), seat: '0' }
    const { body } = await call(operations.sessions.verifyRecord, { params })
    if (body.result === 'intact') intact.add(change.session)
  }
  return intact
}
