// This server as a node: its lease, and what becomes of what a lost node had held.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { Link } from '@bowline/link/api'
import type { Kysely } from 'kysely'
import type { ServerConfig } from '../config.ts'
import type { Schema } from '../db/schema.ts'
import { type LoginTarget, forgetLinksOf, holderOf } from '../devices/presence.ts'
import type { Agents } from '../gateway/links/agents.ts'
import type { ReverseStreams } from '../gateway/links/reverse-streams.ts'
import { type Peers, createPeers } from '../gateway/peers/peers.ts'
import type { NodeIdentity } from '../nodes/identity.ts'
import { type NodeLease, createNodeLease } from '../nodes/lease.ts'
import type { Log } from '../platform/log.ts'
import { closeSessionsOfLostNode } from '../sessions/service.ts'

export interface NodeParts {
  readonly system: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  readonly identity: NodeIdentity
  /** What this node holds. */
  readonly links: () => number
  readonly sessions: () => number
  /** Namespaces whose live events are read here; null: all. */
  readonly listening: () => readonly TenantId[] | null
  /** Ends all links and sessions of this node: others have taken them over. */
  readonly fence: () => void
  /** Another node was lost: any device may have changed. */
  readonly buried: () => void
  /** Called after each heartbeat. */
  readonly beaten: () => void
}

/** The lease of this node. It is not started yet. */
export function composeNode(parts: NodeParts): NodeLease {
  const { system, clock, log, identity } = parts
  return createNodeLease({
    db: system,
    clock,
    log,
    run: identity.run,
    state: () => ({ links: parts.links(), sessions: parts.sessions(), listening: parts.listening() }),
    async bury(db, node) {
      await forgetLinksOf(db, node)
      await closeSessionsOfLostNode(db, node)
    },
    buried: parts.buried,
    fenced: parts.fence,
    beaten: parts.beaten,
  })
}

/** Port of an address of a node. */
const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1))

/** Links with the other nodes; undefined for a server that runs by itself. */
export function composePeers(
  { settings }: Pick<ServerConfig, 'settings'>,
  { identity, clock, log }: Pick<NodeParts, 'identity' | 'clock' | 'log'>,
  lease: NodeLease,
  agents: Agents,
  reverse: ReverseStreams,
): Peers | undefined {
  const { BOWLINE_NODE_ADDRESS: address, BOWLINE_NODE_PORT: port, BOWLINE_HOST: host } = settings
  if (address === undefined || identity.tls === undefined) return undefined
  return createPeers({
    id: lease.id,
    tls: identity.tls,
    host,
    port: port ?? portOf(address),
    nodes: () => lease.others,
    refreshNodes: () => lease.refresh(),
    agents,
    reverse,
    clock,
    log,
  })
}

/** Finds the links of devices, whichever node holds them. */
export interface Reach {
  login(target: LoginTarget): Promise<Link | undefined>
  device(uid: DeviceUid): Promise<Link | undefined>
}

/** Without other nodes every link is here, and no statement asks where. */
export function composeReach(
  system: Kysely<Schema>,
  agents: Agents,
  lease: NodeLease,
  peers: Peers | undefined,
): Reach {
  async function reach(
    device: DeviceUid,
    { tenant, node, epoch }: { tenant: TenantId; node: string; epoch: number },
  ): Promise<Link | undefined> {
    const held = agents.held(device)
    // The row is older than a link of this node that is newer; an older link of this node is one that the device has left.
    if (!peers || node === '' || node === lease.id || (held && held.epoch >= epoch)) return held?.link
    return peers.reach(node, { tenant, device, epoch })
  }
  return {
    login: (target) => reach(target.uid, target),
    async device(uid) {
      const holder = peers && lease.others.length > 0 ? await holderOf(system, uid) : undefined
      return holder ? reach(uid, holder) : agents.find(uid)
    },
  }
}
