// The other nodes: one standing link with each, over which this gateway uses their devices and they use this one's. Of
// two nodes the one with the smaller id dials, so that there is one link.
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { Backoff } from '@bowline/base/backoff'
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import type { Link, LinkCause, LinkMessage, LinkOptions, LinkStream, StreamHandler } from '@bowline/link/api'
import { linkServers } from '@bowline/link/between-servers'
import type { NodeState } from '../../nodes/lease.ts'
import type { TlsMaterial } from '../../platform/network/certificate.ts'
import type { Log } from '../../platform/log.ts'
import type { Agents } from '../links/agents.ts'
import type { ReverseStreams } from '../links/reverse-streams.ts'
import type { RecordingFile } from '../../recordings/file/reading.ts'
import { type RecordingFileHeader, answerForFile, openRemoteFile } from './file-streams.ts'
import { dialNode, listenForNodes } from '../../nodes/node-tls.ts'
import { type RemoteLinks, type RemoteTarget, createRemoteLinks } from './remote-links.ts'
import { type Relay, createRelay } from './relay.ts'
import type { CarriedTerminal } from '../web/carried-terminals.ts'
import { answerForLease, askForLease } from './lease-question.ts'
import type { LeaseAnswer } from '../../nodes/cut-off.ts'

/** Both ends of a link between nodes have these. It carries the streams of many devices, and its loss must show soon. */
const OPTIONS: Partial<LinkOptions> = {
  maxStreams: 65_536,
  growthBytes: 256 * 1024 * 1024,
  socketHighBytes: 512 * 1024,
  pingMs: 4_000,
  deadMs: 12_000,
}
const BACKOFF = { baseMs: 200, capMs: 5_000 }
/** How long a login waits for a link that is being made. */
const REACH_MS = 3_000

/** Looks into the database on behalf of connections with unknown keys, of all sources together. */
const LOOK_UPS = { perSecond: 5, burst: 10 }

/** Lines of the log about refused connections. */
const REFUSALS = { perSecond: 0.2, burst: 10 }

/** A link that is made anew takes a moment. */
const UNLINKED_AFTER_MS = 10_000

/** How often a node that stops looks whether others still use its devices. */
const DRAIN_LOOK_MS = 200

const REPLACED: LinkCause = { by: 'gateway', reason: 'displaced', message: 'The server has reconnected.' }
const LEFT: LinkCause = { by: 'gateway', reason: 'node-left', message: 'The server has left the installation.' }
const STOPPED: LinkCause = { by: 'gateway', reason: 'stopped', message: 'The server has stopped.' }

export interface PeersDeps {
  readonly id: string
  readonly tls: TlsMaterial
  readonly host: string
  readonly port: number
  readonly nodes: () => readonly NodeState[]
  /** Reads the nodes anew: one may have started a moment ago. */
  readonly refreshNodes: () => Promise<void>
  /** For how long this node has renewed its lease, ms; 0 if it cannot now. */
  readonly steadyMs: () => number
  readonly agents: Pick<Agents, 'held' | 'heldBefore'>
  readonly reverse: ReverseStreams
  /** Takes the terminal of a browser that has reached another node. */
  readonly acceptTerminal: (header: LinkMessage, stream: LinkStream) => StreamHandler | LinkCause
  /** Opens a file of recordings that is on this node's disk. Rejects as `fs` does. */
  readonly openFile: (header: RecordingFileHeader) => Promise<RecordingFile>
  readonly clock: Clock
  readonly log: Log
}

export interface Peers {
  /** Listens. Rejects when the port is not available. */
  start(): Promise<void>
  /** Port that it listens on; 0 before the start. */
  readonly port: number
  /** Dials nodes that are new, and drops those that have left. */
  follow(): void
  /**
   * The link of a device that another node holds.
   * @returns undefined when that node cannot be reached within some seconds
   */
  reach(node: string, target: RemoteTarget): Promise<Link | undefined>
  /** Asks the other nodes for how long they have renewed their leases. Never rejects. */
  askForLeases(): Promise<readonly LeaseAnswer[]>
  /** Opens the stream of a browser's terminal whose session another node has; undefined without a link with it. */
  carry(node: string, header: CarriedTerminal, handler: (stream: LinkStream) => StreamHandler): LinkStream | undefined
  /**
   * Opens a file of recordings that is on another node's disk. Rejects with ENOENT when that node does not have it, with
   * `OtherNodeAway` when it cannot be asked.
   */
  openFile(node: string, header: RecordingFileHeader): Promise<RecordingFile>
  /** Number of nodes with a standing link. */
  readonly linkCount: number
  /** Nodes that are alive, and have had no link with this one for some seconds: logins on their devices fail here. */
  readonly unlinked: readonly string[]
  /** @returns resolves when no other node has a login on a device of this one any more, or after `timeoutMs` */
  drain(timeoutMs: number): Promise<void>
  close(): Promise<void>
}

interface Peer {
  readonly pin: string
  readonly backoff: Backoff
  link: Link | undefined
  /** Since when it has been undefined; monotonic clock. */
  unlinkedAt: number
  remote: RemoteLinks | undefined
  relay: Relay | undefined
  isDialling: boolean
  cancelRetry: () => void
  /** Logins that wait for the link. */
  readonly waiting: Set<() => void>
}

export function createPeers(deps: PeersDeps): Peers {
  const { id, tls, clock, log, agents, reverse } = deps
  const peers = new Map<string, Peer>()
  const lookUps = new RateLimiter(clock, LOOK_UPS)
  const refusals = new RateLimiter(clock, REFUSALS)
  let closed = false
  let port = 0

  /** The entry of a run of a node: one with another key is another run. */
  function peerOf({ id: node, keyPin: pin }: NodeState): Peer {
    const known = peers.get(node)
    if (known?.pin === pin) return known
    if (known) drop(node, known)
    const peer: Peer = {
      pin,
      backoff: new Backoff(BACKOFF),
      link: undefined,
      unlinkedAt: clock.monotonic(),
      remote: undefined,
      relay: undefined,
      isDialling: false,
      cancelRetry: () => undefined,
      waiting: new Set(),
    }
    peers.set(node, peer)
    return peer
  }

  function drop(node: string, peer: Peer): void {
    peers.delete(node)
    peer.cancelRetry()
    peer.link?.close(LEFT)
    for (const settle of peer.waiting) settle()
  }

  function stand(node: string, peer: Peer, socket: TLSSocket, end: 'dialled' | 'accepted'): void {
    const before = peer.link
    const near: { remote?: RemoteLinks; relay?: Relay } = {}
    const link = linkServers({
      socket,
      end,
      clock,
      options: OPTIONS,
      handler: {
        open(kind, header, stream) {
          if (kind === 'lease') return answerForLease(stream, deps.steadyMs())
          if (kind === 'terminal') return deps.acceptTerminal(header, stream)
          if (kind === 'recording') return answerForFile(header, stream, deps.openFile)
          return (
            (kind === 'accept' ? near.remote?.open(header, stream) : near.relay?.open(kind, header, stream)) ?? STOPPED
          )
        },
        closed(cause) {
          log.warn('node.unlinked', { node, by: cause.by, reason: cause.reason, message: cause.message })
          if (peer.link !== link) return
          peer.link = undefined
          peer.unlinkedAt = clock.monotonic()
          peer.remote = undefined
          peer.relay = undefined
          retry(node, peer)
        },
      },
      report: (error, callback) => log.error('node.error', { node, callback, err: error }),
    })
    near.remote = createRemoteLinks(link, reverse)
    near.relay = createRelay({ agents, reverse, between: link })
    peer.link = link
    peer.remote = near.remote
    peer.relay = near.relay
    peer.backoff.reset()
    log.info('node.linked', { node, end })
    before?.close(REPLACED)
    for (const settle of peer.waiting) settle()
  }

  function retry(node: string, peer: Peer): void {
    if (closed || peers.get(node) !== peer || id > node) return
    peer.cancelRetry = clock.after(peer.backoff.next(), () => dial(node, peer))
  }

  function dial(node: string, peer: Peer): void {
    const found = deps.nodes().find((other) => other.id === node && other.keyPin === peer.pin)
    if (closed || !found || peer.link || peer.isDialling) return
    peer.isDialling = true
    dialNode(found.address, peer.pin, tls, clock)
      .then(
        (socket) => {
          if (closed || peers.get(node) !== peer) return void socket.destroy()
          stand(node, peer, socket, 'dialled')
        },
        (error: unknown) => {
          log.warn('node.refused', { node, address: found.address, err: error })
          retry(node, peer)
        },
      )
      .finally(() => (peer.isDialling = false))
  }

  /** Of connections of strangers, who may be many. */
  function warnOf(source: string, reason: string): void {
    if (refusals.take('')) log.warn('node.refused', { source, reason })
  }

  async function accept(socket: TLSSocket, pin: string): Promise<void> {
    const byPin = (): NodeState | undefined => deps.nodes().find(({ keyPin }) => keyPin === pin)
    if (!byPin() && lookUps.take('')) await deps.refreshNodes()
    const node = byPin()
    // Only the node with the smaller id dials.
    if (!node || closed || node.id >= id) {
      warnOf(socket.remoteAddress ?? '', 'key')
      return void socket.destroy()
    }
    stand(node.id, peerOf(node), socket, 'accepted')
  }

  const server = listenForNodes(
    tls,
    clock,
    (socket, pin) => {
      accept(socket, pin).catch((error: unknown) => {
        log.error('node.error', { err: error })
        socket.destroy()
      })
    },
    (address) => warnOf(address, 'connections'),
  )

  return {
    start: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen({ host: deps.host, port: deps.port }, () => {
          server.off('error', reject)
          server.on('error', (error) => log.error('node.error', { err: error }))
          port = (server.address() as AddressInfo).port
          resolve()
        })
      }),
    get port() {
      return port
    },
    follow() {
      const live = deps.nodes().filter(({ address }) => address !== '')
      for (const [node, peer] of peers) if (!live.some((other) => other.id === node)) drop(node, peer)
      for (const node of live) {
        const isNew = peers.get(node.id)?.pin !== node.keyPin
        const peer = peerOf(node)
        if (isNew && id < node.id) dial(node.id, peer)
      }
    },
    async reach(node, target) {
      const peer = peers.get(node)
      if (!peer) return undefined
      if (!peer.remote) {
        await new Promise<void>((resolve) => {
          const settle = (): void => {
            cancel()
            peer.waiting.delete(settle)
            resolve()
          }
          const cancel = clock.after(REACH_MS, settle)
          peer.waiting.add(settle)
        })
      }
      return peer.remote?.find(target)
    },
    askForLeases: () => Promise.all(deps.nodes().map(({ id: node }) => askForLease(peers.get(node)?.link, clock))),
    carry: (node, header, handler) => peers.get(node)?.link?.open('terminal', header, handler),
    openFile: (node, header) => openRemoteFile((handler) => peers.get(node)?.link?.open('recording', header, handler)),
    get linkCount() {
      return [...peers.values()].filter(({ link }) => link !== undefined).length
    },
    get unlinked() {
      const before = clock.monotonic() - UNLINKED_AFTER_MS
      return [...peers].flatMap(([node, { link, unlinkedAt }]) => (link || unlinkedAt > before ? [] : [node]))
    },
    drain(timeoutMs) {
      return new Promise((resolve) => {
        const isDrained = (): boolean => [...peers.values()].every(({ relay }) => (relay?.loginCount ?? 0) === 0)
        const look = (): void => {
          if (isDrained()) end()
        }
        const stop = clock.every(DRAIN_LOOK_MS, look)
        const cancel = clock.after(timeoutMs, end)
        function end(): void {
          stop()
          cancel()
          resolve()
        }
        look()
      })
    },
    async close() {
      closed = true
      for (const peer of peers.values()) {
        peer.cancelRetry()
        peer.link?.close(STOPPED)
        for (const settle of peer.waiting) settle()
      }
      if (port !== 0) await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
