// The port of TCP tunnels: the server name of a TLS client finds the tunnel, and its bytes go to the device's service
// and back without being decrypted.
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import type { Link } from '@bowline/link/api'
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import { plainAddress, sourceKey } from '../../platform/network/address.ts'
import type { Log } from '../../platform/log.ts'
import { findByLabel, isKnownBy, noteAccess } from '../live.ts'
import { labelOf } from '../names.ts'
import { startAccounting } from '../proxy/accounting.ts'
import { LinkSocket } from '../proxy/link-socket.ts'
import type { OpenRequest } from '../proxy/open-requests.ts'
import type { Supervision } from '../proxy/supervision.ts'
import { isAddress } from './client-hello.ts'
import { type Greeting, readGreeting } from './hello-socket.ts'
import { joinConnections } from './joined.ts'
import { Newcomers } from './newcomers.ts'
import { type Refusal, refusalOf, refuse, statusOf } from './refusals.ts'

export interface TcpTunnelDeps {
  /** System connection. */
  readonly system: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  /** Parent domain of tunnels. */
  readonly domain: string
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** True if the namespace must choose devices first: it has more than it may without a subscription. */
  readonly isLapsed: (tenant: TenantId) => Promise<boolean>
  readonly supervision: Pick<Supervision, 'open' | 'record' | 'watchExpiry'>
  /** The link of a device, whichever node holds it. */
  readonly linkOf: (device: DeviceUid) => Promise<Link | undefined>
  /** The client's address, which a trusted proxy's header has. undefined: such a header is not valid. */
  readonly findSource: (socket: Socket, done: (address: string | undefined) => void) => void
  /** Sources whose connections are not counted. */
  readonly isExempt: (address: string) => boolean
  /** Counts a connection that reached no tunnel. */
  readonly refused: (reason: Refusal) => void
}

export interface TcpTunnels {
  /** Listening port; 0 before the start. */
  readonly port: number
  /** Connections that have not shown yet which tunnel they want. */
  readonly newcomerCount: number
  /** Starts to listen. Rejects when the port is not available. */
  start(): Promise<void>
  /** Listens no longer; joined connections end with the supervision. */
  close(): void
}

/** Connections per second and source. */
const CONNECTIONS = { perSecond: 50, burst: 1_000 }
/** The same for names without a tunnel: each costs a query. */
const UNKNOWN = { perSecond: 5, burst: 100 }
/** A client that has vanished is noticed after some minutes, not only when its tunnel has been idle for an hour. */
const KEEP_ALIVE_MS = 60_000
const ACME_PROTOCOL = 'acme-tls/1'

export function createTcpTunnels(deps: TcpTunnelDeps): TcpTunnels {
  const { system, clock, log } = deps
  const { open, record, watchExpiry } = deps.supervision
  const newcomers = new Newcomers()
  const rate = new RateLimiter(clock, CONNECTIONS)
  const unknown = new RateLimiter(clock, UNKNOWN)

  function turnAway(socket: Socket, source: string, reason: Refusal): void {
    log.debug('tunnels.refused', { source, reason })
    deps.refused(reason)
    refuse(socket, reason, clock)
  }

  function accept(socket: Socket): void {
    // 'close' follows.
    socket.on('error', () => undefined)
    deps.findSource(socket, (address) => {
      if (address !== undefined) return greet(socket, address)
      turnAway(socket, plainAddress(socket.remoteAddress ?? ''), 'proxy-header')
    })
  }

  function greet(socket: Socket, address: string): void {
    const source = sourceKey(address)
    const isExempt = deps.isExempt(address)
    if (!newcomers.add(socket, source, isExempt) || (!isExempt && !rate.take(source))) {
      // No alert: it would keep what is over the limit open for longer.
      log.debug('tunnels.refused', { source: address, reason: 'too-many' })
      deps.refused('too-many')
      return void socket.destroy()
    }
    readGreeting(socket, clock, (greeting) => {
      const wanted = wantedOf(greeting, deps.domain)
      if ('refusal' in wanted) return turnAway(socket, address, wanted.refusal)
      carry(socket, address, wanted.label)
    })
  }

  /** Joins a client with the tunnel that it has named. */
  function carry(socket: Socket, remote: string, label: string): void {
    const entry: OpenRequest = {
      label,
      source: sourceKey(remote),
      activeAt: clock.monotonic(),
      answered: false,
      mayStay: (tunnel) => Promise.resolve(tunnel.protocol === 'tcp' && isKnownBy(tunnel, label)),
      end: () => socket.resetAndDestroy(),
    }
    if (!open.add(entry)) return turnAway(socket, remote, 'too-many')
    const counts = startAccounting(clock, entry, { method: 'TCP', path: '', source: remote })
    let stopWatching = (): void => undefined
    let isOver = false
    const over = (status: number): void => {
      if (isOver) return
      isOver = true
      stopWatching()
      open.remove(entry)
      if (!entry.tunnel) return
      const { address } = entry.tunnel
      const facts = counts.entry(status)
      record(entry.tunnel, facts)
      const { bytes_in, bytes_out, milliseconds } = facts
      log.info('tunnels.closed', { address, source: remote, status, bytes_in, bytes_out, milliseconds })
    }
    const giveUp = (reason: Refusal): void => {
      over(statusOf(reason))
      turnAway(socket, remote, reason)
    }
    const gone = (): void => over(0)
    socket.once('close', gone)
    findTunnel()
      .then((link) => {
        if (isOver) return
        if (typeof link === 'string') return giveUp(link)
        stopWatching = watchExpiry(entry)
        connect(link)
      })
      .catch((error: unknown) => {
        log.error('tunnels.error', { err: error })
        giveUp('error')
      })

    async function findTunnel(): Promise<Link | Refusal> {
      if (!unknown.has(entry.source)) return 'too-many'
      const found = await findByLabel(system, label, clock.now())
      const tunnel = found?.protocol === 'tcp' ? await noteAccess(system, found, clock.now()) : undefined
      if (!tunnel) {
        unknown.take(entry.source)
        return 'unknown-name'
      }
      if (await deps.isLapsed(tunnel.tenant)) return 'lapsed'
      if (!open.assign(entry, tunnel)) return 'too-many'
      newcomers.leave(socket)
      return (await deps.linkOf(tunnel.device)) ?? 'offline'
    }

    function connect(link: Link): void {
      const { host = '', port = 0, address } = entry.tunnel ?? {}
      const service = new LinkSocket(link, { host, port }, clock)
      const failed = (error: Error): void => giveUp(refusalOf(error))
      const closed = (): void => void service.destroy()
      service.once('error', failed)
      socket.once('close', closed)
      service.once('connect', () => {
        service.off('error', failed)
        socket.off('close', gone).off('close', closed)
        entry.activeAt = clock.monotonic()
        // A client that only says hello has not come to stay: the second message of TLS needs the service's first.
        service.once('data', () => socket.once('data', () => (entry.answered = true)))
        entry.end = () => {
          socket.resetAndDestroy()
          service.destroy()
        }
        log.info('tunnels.connected', { address, source: remote })
        joinConnections(socket, service, counts, () => over(200))
      })
    }
  }

  const server: Server = createServer(
    { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS },
    accept,
  )
  return {
    get port() {
      const address = server.address() as AddressInfo | null
      return address?.port ?? 0
    },
    get newcomerCount() {
      return newcomers.count
    },
    start: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen({ host: deps.host, port: deps.port, backlog: 4_096 }, () => {
          server.off('error', reject)
          server.on('error', (error) => log.error('tunnels.error', { err: error }))
          resolve()
        })
      }),
    close() {
      server.close()
      newcomers.closeAll()
    },
  }
}

/** What a client has asked for: the label of a tunnel, or why it gets none. */
function wantedOf(greeting: Greeting, domain: string): { readonly label: string } | { readonly refusal: Refusal } {
  if (greeting.kind === 'fault') return { refusal: greeting.fault }
  const { name, protocols } = greeting
  if (name === undefined) return { refusal: 'no-name' }
  if (isAddress(name)) return { refusal: 'address-as-name' }
  if (protocols.includes(ACME_PROTOCOL)) return { refusal: 'acme' }
  const label = labelOf(name, domain)
  return label === undefined ? { refusal: 'unknown-name' } : { label }
}
