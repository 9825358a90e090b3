// The SSH endpoint: listens, applies admission control, passes admitted sockets to the transport.
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net'
import { PendingSet } from '@bowline/base/pending-set'
import type { UserId } from '@bowline/contract/schemas/common'
import { acceptConnection } from '@bowline/ssh/server'
import type { PeerAddress, SshConnection, SshServerOptions } from '@bowline/ssh/api'
import type { Clock } from '@bowline/base/clock'
import { plainAddress } from '../platform/network/address.ts'
import type { Log } from '../platform/log.ts'
import type { Admission, Refusal } from './admission/admission.ts'
import { HELD_LOOK_MS, HELD_TOO_MUCH, limitHeldBytes } from './admission/held-bytes.ts'
import type { SessionCause } from '../sessions/service.ts'
import { type EndingHandler, byFirstName } from './by-name.ts'
import type { BridgedLinkDeps } from './bridges/device/bridged-link.ts'
import { DeviceConnection, type DeviceConnectionDeps } from './bridges/enrolled/device-connection.ts'
import type { NamedAddress } from './bridges/enrolled/snippets.ts'
import { Connection, type ConnectionDeps } from './connection.ts'
import { readProxySource } from './admission/proxied-socket.ts'
import { TEXTS } from './record/texts.ts'

export interface GatewayDeps extends Omit<ConnectionDeps, 'isDraining' | 'endpoint' | 'person' | 'takesGrants'> {
  readonly admission: Admission
  /** Devices without an agent. */
  readonly enrolled: Omit<
    DeviceConnectionDeps,
    keyof BridgedLinkDeps | 'isDraining' | 'isCutOff' | 'ended' | 'address'
  > & {
    /** Address of this server for a device. @param reached the one that the device has connected to */
    readonly address: (reached: PeerAddress) => NamedAddress
  }
  readonly log: Log
  readonly clock: Clock
  readonly ssh: SshServerOptions
  /** Proxies whose PROXY header is trusted. */
  readonly isTrustedProxy: (address: string) => boolean
  readonly host: string
  readonly port: number
  /** Limit of the bytes that all connections together hold for sides that do not read. */
  readonly maxHeldBytes: number
  /** Counts a refused connection. */
  readonly refused: (why: string) => void
}

/** Who opens a connection from another endpoint than the SSH port. */
export interface Caller {
  /** The console's user; undefined for an unauthenticated caller. */
  readonly person: UserId | undefined
  /** A program does, with an API key of that person. */
  readonly isProgram?: boolean
}

export interface Gateway {
  /** Starts to listen. Rejects when the port is not available. */
  start(): Promise<void>
  /** Listening port; 0 before the start. */
  readonly port: number
  readonly connectionCount: number
  /**
   * Admits a connection from another endpoint than the SSH port, with the same limits, rows and shutdown.
   * @param caller who opened it
   * @param ended receives the cause that the row stores
   * @param connect creates the connection for its handler; not called on refusal
   * @returns the reason of a refusal
   */
  admitWeb(
    address: string,
    caller: Caller,
    ended: (cause: SessionCause) => void,
    connect: (handler: Connection) => SshConnection,
  ): Refusal | undefined
  /** Ends the connection of a session. @returns false when this node does not hold it */
  closeSession(uid: string, cause: SessionCause): boolean
  /** Ends every connection. */
  endAll(cause: SessionCause): void
  /**
   * Refuses new logins; existing ones continue.
   * @returns resolves when the last of them has ended, or after `timeoutMs`
   */
  drain(timeoutMs: number): Promise<void>
  /** Takes no connections any more: another node does. Those that stand go on. */
  stopListening(): void
  /** Closes every connection and waits until their rows are closed. */
  close(): Promise<void>
}

/** Sent before the identification string (RFC 4253 section 4.2 allows it); clients show it with -v. */
const REFUSAL_LINE = `${TEXTS.tooManyConnections}\r\n`
/** Time for a refused client to read that line and close its side. */
const REFUSAL_MS = 1_000
/** Limit of refused sockets kept open to send that line; above it they are dropped silently, at no cost. */
const MAX_REFUSED = 64

/** A connection and who handles it. */
interface Entered {
  readonly connection: SshConnection
  readonly handler: EndingHandler
}

export function createGateway(deps: GatewayDeps): Gateway {
  const connections = new Map<SshConnection, EndingHandler>()
  let port = 0
  /** Refused sockets that receive the line. */
  const refusedSockets = new Set<Socket>()
  let idle = (): void => undefined
  let drained = (): void => undefined
  let draining = false

  const checkDrained = (): void => {
    if ([...connections.keys()].every((connection) => connection.user === undefined)) drained()
  }
  /** Resolves `close` once the last connection's row is closed, and checks `drain`. */
  function settle(): void {
    if (connections.size === 0 && work.size === 0) idle()
    if (draining) checkDrained()
  }
  const work = new PendingSet((error) => deps.log.error('session.error', { err: error }), settle)

  function accept(socket: Socket): void {
    const own = { address: plainAddress(socket.remoteAddress ?? ''), port: socket.remotePort ?? 0 }
    const reached = { address: plainAddress(socket.localAddress ?? ''), port: socket.localPort ?? port }
    // A header from any other peer is not SSH, and the transport disconnects.
    if (!deps.isTrustedProxy(own.address)) return admit(socket, own, reached)
    socket.on('error', () => undefined)
    readProxySource(socket, deps.clock, (source) => {
      if (source !== 'malformed') return admit(socket, source ?? own, source?.reached ?? reached)
      deps.log.warn('ssh.refused', { source: own.address, reason: 'proxy-header' })
      deps.refused('proxy-header')
      socket.destroy()
    })
  }

  /** @param reached address of this server that the client has connected to, as far as that is known */
  function admit(socket: Socket, { address, port: from }: PeerAddress, reached: PeerAddress): void {
    const refusal = enter(address, 'term', { person: undefined }, deps.ended, (handler, device) => {
      socket.setNoDelay(true)
      const either = byFirstName(handler, () => device(reached))
      return { connection: acceptConnection(socket, { address, port: from }, deps.ssh, either), handler: either }
    })
    if (refusal !== undefined) refuse(socket)
  }

  /** Sends the refusal line, unless too many sockets receive it, and drops the socket after a timeout. */
  function refuse(socket: Socket): void {
    socket.on('error', () => undefined)
    if (refusedSockets.size >= MAX_REFUSED) {
      socket.destroy()
      return
    }
    refusedSockets.add(socket)
    const cancel = deps.clock.after(REFUSAL_MS, () => socket.destroy())
    socket.once('close', () => {
      cancel()
      refusedSockets.delete(socket)
    })
    // Input is read and dropped: closing a socket with unread input resets it, and the line is lost.
    socket.resume().end(REFUSAL_LINE)
  }

  function enter(
    address: string,
    endpoint: ConnectionDeps['endpoint'],
    { person, isProgram = false }: Caller,
    ended: ConnectionDeps['ended'],
    connect: (handler: Connection, device: (reached: PeerAddress) => DeviceConnection) => Entered,
  ): Refusal | undefined {
    const admitted = deps.admission.admit(address)
    if (typeof admitted === 'string') {
      deps.log.debug('ssh.refused', { source: address, door: endpoint, reason: admitted })
      deps.refused(admitted)
      return admitted
    }
    const isDraining = (): boolean => draining
    const handler = new Connection(
      { ...deps, endpoint, person, takesGrants: !isProgram, ended, isDraining },
      admitted,
      (closed, rest) => {
        connections.delete(closed)
        work.track(rest)
        settle()
      },
    )
    const device = (reached: PeerAddress): DeviceConnection => {
      handler.yield()
      const own = { ...deps, ...deps.enrolled, isDraining, address: deps.enrolled.address(reached) }
      return new DeviceConnection(own, admitted, (closed) => {
        connections.delete(closed)
        settle()
      })
    }
    const entered = connect(handler, device)
    connections.set(entered.connection, entered.handler)
    deps.log.debug('ssh.connected', { source: address, door: endpoint })
    return undefined
  }

  const held = limitHeldBytes<SshConnection>(deps.maxHeldBytes)
  let stopLooking = (): void => undefined

  function endHolders(): void {
    for (const connection of held.excess(connections)) {
      const { heldBytes: bytes, sessionId: session, peer } = connection
      deps.log.warn('ssh.unread', { session, source: peer.address, bytes })
      connections.get(connection)?.end(connection, HELD_TOO_MUCH)
    }
  }

  const server: Server = createServer({ noDelay: true }, accept)
  return {
    start: () =>
      new Promise((resolve, reject) => {
        stopLooking = deps.clock.every(HELD_LOOK_MS, endHolders)
        server.once('error', reject)
        server.listen({ host: deps.host, port: deps.port, backlog: 4_096 }, () => {
          server.off('error', reject)
          server.on('error', (error) => deps.log.error('ssh.error', { err: error }))
          port = (server.address() as AddressInfo).port
          resolve()
        })
      }),
    get port() {
      return port
    },
    get connectionCount() {
      return connections.size
    },
    admitWeb: (address, caller, ended, connect) =>
      enter(
        address,
        'web',
        caller,
        (cause, authenticated) => {
          deps.ended(cause, authenticated)
          ended(cause)
        },
        (handler) => ({ connection: connect(handler), handler }),
      ),
    closeSession(uid, cause) {
      for (const [connection, handler] of connections) {
        if (connection.sessionId !== uid) continue
        handler.end(connection, cause)
        return true
      }
      return false
    },
    endAll(cause) {
      for (const [connection, handler] of connections) handler.end(connection, cause)
    },
    drain(timeoutMs) {
      draining = true
      return new Promise((resolve) => {
        const cancel = deps.clock.after(timeoutMs, resolve)
        drained = () => {
          cancel()
          resolve()
        }
        checkDrained()
      })
    },
    stopListening: () => void server.close(),
    async close() {
      stopLooking()
      server.close()
      for (const socket of refusedSockets) socket.destroy()
      for (const connection of connections.keys()) {
        connection.disconnect({ by: 'local', reason: 'server-stopped', message: TEXTS.stopped })
      }
      await new Promise<void>((resolve) => {
        idle = resolve
        settle()
      })
    },
  }
}
