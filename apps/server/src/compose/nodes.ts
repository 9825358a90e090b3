// This server as one of several nodes: its lease, its links with the others, and what becomes of what a lost one had held.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { LiveEvent } from '@bowline/contract/schemas/event'
import type { Clock } from '@bowline/base/clock'
import type { Link } from '@bowline/link/api'
import type { Kysely } from 'kysely'
import type { ServerConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { type LoginTarget, forgetLinksOf, holderOf } from '../devices/presence.ts'
import type { EventBus } from '../events/bus.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Agents } from '../gateway/links/agents.ts'
import type { ReverseStreams } from '../gateway/links/reverse-streams.ts'
import type { LiveLogins } from '../gateway/login/live-logins.ts'
import { type Peers, type PeersDeps, createPeers } from '../gateway/peers/peers.ts'
import type { WebEndpoints } from '../gateway/web/web-endpoints.ts'
import { type NodeIdentity, newRun } from '../nodes/identity.ts'
import { type NodeLease, createNodeLease } from '../nodes/lease.ts'
import { type RunOnce, holdsJob, runAlone, runByLease } from '../nodes/once.ts'
import type { Log } from '../platform/log.ts'
import { traced } from '../platform/tracing/spans.ts'
import { OtherNodeAway } from '../recordings/file/reading.ts'
import type { Redis } from '../platform/redis/redis.ts'
import { type SessionCause, closeSessionsOfLostNode } from '../sessions/service.ts'
import { type Cluster, createCluster } from './cluster.ts'

/** Life of the lease of the connectors; it is renewed every few seconds. */
const CONNECTORS_LEASE_SECONDS = 20
/** Within this time balancers have asked for the health of a node that stops. */
const BALANCERS_MS = 10_000

const FENCED: SessionCause = {
  by: 'gateway',
  reason: 'node-lost',
  message: 'The server that held the connection was counted as lost.',
}

export interface NodeParts {
  readonly config: ServerConfig
  /** Id of this node. */
  readonly node: string
  readonly database: Pick<Database, 'onReplaced' | 'run' | 'lease'>
  readonly system: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  readonly bus: EventBus
  readonly redis: Redis | undefined
  readonly agents: Agents
  readonly reverse: ReverseStreams
  readonly live: LiveLogins
  /** Not there yet when this is composed. */
  readonly gateway: () => Gateway
  readonly webEndpoints: () => Pick<WebEndpoints, 'accept'>
  /** Opens a file of recordings that is on this node's disk. */
  readonly openFile: PeersDeps['openFile']
  /** Applies an event of another node. */
  readonly apply: (event: LiveEvent, tenant: TenantId) => void
  /** The process must exit. */
  readonly onFatal: ((error: Error) => void) | undefined
}

export interface Nodes {
  /** undefined for a server that runs by itself. */
  readonly cluster: Cluster | undefined
  /** Runs a job at one node of several. */
  readonly once: RunOnce
  /** True while this node is cut off from the database and others are not: it takes no logins and no links. */
  readonly isCutOff: boolean
  /** Whether every node that is alive leaves a link open that an updated agent takes over. */
  readonly knowHandover: boolean
  /** Number of nodes that are alive, and that this one has had no link with for some seconds. */
  readonly unlinkedCount: number
  /** The link of a login's device, whichever node holds it. */
  reachLogin(target: LoginTarget): Promise<Link | undefined>
  /** The link of a device, whichever node holds it. */
  reachDevice(uid: DeviceUid): Promise<Link | undefined>
  /** Opens the stream of a browser's terminal whose session another node has. */
  readonly carry: Peers['carry']
  /** Opens a file of recordings that is on another node's disk. */
  readonly openFile: Peers['openFile']
  /** True while this node dials the engines that no device reaches. */
  dialsConnectors(): Promise<boolean>
  /** Enters the installation. Rejects when the database or the port does not allow it. */
  start(onEnd: (ending: () => Promise<void>) => void): Promise<void>
  /**
   * Where others can take over: tells them and the balancers, and lets sessions end, those of other nodes on devices of
   * this one included. @returns resolves when that is over, or after `timeoutMs`; at once where there are no others
   * @param seen called once balancers have had the time to see it: a port that stays open attracts those that count connections
   */
  drain(timeoutMs: number, seen: () => void): Promise<void>
  close(): Promise<void>
}

export async function composeNodes(parts: NodeParts): Promise<Nodes> {
  const { config, node, system, clock, log, agents, gateway } = parts
  const { settings } = config
  const identity = await newRun(node, parts.database.run, settings.BOWLINE_NODE_ADDRESS)
  const lease = createNodeLease({
    db: parts.database.lease(),
    clock,
    log,
    run: identity.run,
    state: () => ({
      links: agents.count,
      sessions: gateway().connectionCount,
      listening: cluster?.listening() ?? [],
    }),
    async bury(db, lost) {
      await forgetLinksOf(db, lost)
      await closeSessionsOfLostNode(db, lost)
    },
    buried: () => cluster?.buried(),
    fenced() {
      agents.fence()
      gateway().endAll(FENCED)
    },
    displaced: (error) => parts.onFatal?.(error),
    askOthers: () => peers?.askForLeases() ?? Promise.resolve([]),
    beaten: () => peers?.follow(),
  })
  const peers = composePeers(parts, identity, lease)
  const cluster = peers && composeCluster(parts, lease)
  parts.database.onReplaced(() => {
    agents.databaseReplaced()
    cluster?.databaseReplaced()
  })

  /** Without other nodes every link is here, and no statement asks where. */
  async function reach(
    device: DeviceUid,
    { tenant, node: holder, epoch }: { tenant: TenantId; node: string; epoch: number },
  ): Promise<Link | undefined> {
    const held = agents.held(device)
    // The row is older than a newer link of this node; an older link of this node is one that the device has left.
    if (!peers || holder === '' || holder === node || (held && held.epoch >= epoch)) return held?.link
    return peers.reach(holder, { tenant, device, epoch })
  }

  return {
    cluster,
    get isCutOff() {
      return lease.isCutOff
    },
    get knowHandover() {
      return lease.others.every(({ knowsHandover }) => knowsHandover)
    },
    get unlinkedCount() {
      return peers?.unlinked.length ?? 0
    },
    once: cluster ? runByLease(system, node) : runAlone,
    reachLogin: (target) =>
      traced(
        'login.reach',
        () => ({}),
        () => reach(target.uid, target),
      ),
    async reachDevice(uid) {
      const holder = peers && lease.others.length > 0 ? await holderOf(system, uid) : undefined
      return holder ? reach(uid, holder) : agents.find(uid)
    },
    carry: (...stream) => peers?.carry(...stream),
    openFile: (...file) => peers?.openFile(...file) ?? Promise.reject(new OtherNodeAway()),
    dialsConnectors: async () => !cluster || holdsJob(system, 'connectors', node, CONNECTORS_LEASE_SECONDS),
    async start(onEnd) {
      if (peers && cluster) {
        onEnd(() => peers.close())
        await peers.start()
        onEnd(() => cluster.close())
        await cluster.start()
      }
      await lease.start()
    },
    async drain(timeoutMs, seen) {
      if (!peers || lease.others.length === 0) return
      const balanced = new Promise<void>((resolve) => clock.after(Math.min(timeoutMs, BALANCERS_MS), resolve)).then(
        () => {
          gateway().stopListening()
          seen()
        },
      )
      await Promise.all([lease.drain(), gateway().drain(timeoutMs), peers.drain(timeoutMs), balanced])
    },
    close: () => lease.close(),
  }
}

/** Links with the other nodes; undefined for a server that runs by itself. */
function composePeers(
  { config: { settings }, agents, reverse, webEndpoints, openFile, clock, log }: NodeParts,
  { tls }: NodeIdentity,
  lease: NodeLease,
): Peers | undefined {
  const { BOWLINE_NODE_ADDRESS: address, BOWLINE_NODE_PORT: port, BOWLINE_HOST: host } = settings
  if (address === undefined || tls === undefined) return undefined
  return createPeers({
    id: lease.id,
    tls,
    host,
    port: port ?? Number(address.slice(address.lastIndexOf(':') + 1)),
    nodes: () => lease.others,
    refreshNodes: () => lease.refresh(),
    steadyMs: () => lease.steadyMs,
    agents,
    reverse,
    openFile,
    acceptTerminal: (header, stream) => webEndpoints().accept(header, stream),
    clock,
    log,
  })
}

function composeCluster(
  { config, system, clock, log, bus, redis, apply, gateway, live, agents }: NodeParts,
  lease: NodeLease,
): Cluster {
  return createCluster({
    system,
    clock,
    log,
    lease,
    bus,
    redis,
    owner: config.settings.BOWLINE_DATABASE_URL ?? '',
    apply,
    linkMoved: (link) => agents.moved(link),
    closeSession: (uid, cause) => gateway().closeSession(uid, cause),
    resetAll() {
      for (const tenant of bus.tenants()) bus.emit(tenant, { type: 'reset' })
      live.reviewAll()
    },
  })
}
