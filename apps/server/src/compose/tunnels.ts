// Tunnels with all their parts: what the API needs of them, and their traffic.
import type { Socket } from 'node:net'
import type { Clock } from '@bowline/base/clock'
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import type { LiveEvent } from '@bowline/contract/schemas/event'
import type { Link } from '@bowline/link/api'
import type { AuthDeps } from '../auth/service.ts'
import { isSignInAlive } from '../auth/sign-ins/service.ts'
import type { ServerConfig } from '../config.ts'
import { isLapsed } from '../devices/presence.ts'
import { readProxySource } from '../gateway/admission/proxied-socket.ts'
import type { Rates } from '../budgets/rates.ts'
import type { TunnelTraffic } from '../http/tunnel-hosts.ts'
import { hasDoorFactor, noteDoorFactor } from '../held-logins/browser-factor.ts'
import type { InstanceKeys } from '../instance/keys.ts'
import { plainAddress } from '../platform/network/address.ts'
import type { Metrics } from '../platform/metrics.ts'
import { isTunnelHost } from '../platform/network/tunnel-addresses.ts'
import { createSharedTickets } from '../terminals/shared-tickets.ts'
import { createTickets } from '../terminals/tickets.ts'
import { type DoorFactors, type Doorkeeper, type Visit, createDoorkeeper } from '../tunnels/doors/doorkeeper.ts'
import { type TunnelProxy, createTunnelProxy } from '../tunnels/proxy/proxy.ts'
import { type Supervision, superviseTunnels } from '../tunnels/proxy/supervision.ts'
import type { TunnelDeps } from '../tunnels/service.ts'
import { createTcpTunnels } from '../tunnels/tcp/listener.ts'

export interface TunnelParts {
  readonly deps: TunnelDeps
  readonly doors: Doorkeeper
  readonly proxy: TunnelProxy
  readonly supervision: Supervision
  /** Takes the requests for tunnel hosts from the HTTP server. */
  readonly traffic: TunnelTraffic
  /** Starts to listen for TCP tunnels, where they have a port. Rejects when it is not available. */
  start(): Promise<void>
  /** Ends everything under way. */
  close(): void
}

/** Visits that wait for their browser. */
const VISITS = { total: 10_000, perSource: 100, seconds: LIMITS.tunnels.visitLinkSeconds }

/**
 * @param emit an event, for listeners at every node
 * @param origin origin of the console, once the server listens
 */
export function composeTunnels(
  { settings, isTrustedProxy, isExemptSource }: ServerConfig,
  keys: Pick<InstanceKeys, 'derive'>,
  { db: system, clock, log, passwords }: Pick<AuthDeps, 'db' | 'clock' | 'log' | 'passwords'>,
  linkOf: (device: DeviceUid) => Promise<Link | undefined>,
  metrics: Pick<Metrics, 'tunnelsRefused'>,
  rates: Rates,
  emit: (tenant: TenantId, event: LiveEvent) => void,
  origin: () => string,
): TunnelParts {
  const domain = settings.BOWLINE_TUNNELS_DOMAIN ?? ''
  const secret = keys.derive('passes of tunnels')
  const visits =
    settings.BOWLINE_NODE_ADDRESS === undefined
      ? createTickets<Visit>(clock, VISITS)
      : createSharedTickets<Visit>(system, 'visit', VISITS)
  const factors: DoorFactors = {
    isProven: (visitor) => hasDoorFactor({ db: system, clock }, visitor),
    note: (visitor, at) => noteDoorFactor({ db: system, clock }, visitor, at),
  }
  const isSignedIn = (user: UserId, signIn: string): Promise<boolean> =>
    isSignInAlive({ db: system, clock }, user, signIn)
  const doors = createDoorkeeper({
    system,
    clock,
    passwords,
    rates,
    factors,
    isSignedIn,
    secret,
    domain,
    origin,
    visits,
  })
  const supervision = superviseTunnels({
    system,
    clock,
    log,
    used: (tenant) => emit(tenant, { type: 'tunnels.used' }),
  })
  // Elsewhere devices have no price.
  const isCloud = settings.BOWLINE_EDITION === 'cloud'
  const isLapsedNow = async (tenant: TenantId): Promise<boolean> =>
    isCloud && isLapsed(system, tenant, new Date(clock.now()))
  const shared = { system, clock, log, domain, supervision, linkOf, isLapsed: isLapsedNow }
  const proxy = createTunnelProxy({ ...shared, doors })
  const { BOWLINE_HOST: host, BOWLINE_TUNNELS_TLS_PORT: port } = settings
  const tcp =
    port === undefined
      ? undefined
      : createTcpTunnels({
          ...shared,
          host,
          port,
          findSource: sourceFinder(isTrustedProxy, clock),
          isExempt: isExemptSource,
          refused: (reason) => metrics.tunnelsRefused.inc({ reason }),
        })
  const watched = {
    changed(address: string): void {
      supervision.review({ address }).catch((error: unknown) => log.error('tunnels.error', { err: error }))
    },
    requests: (address: string) => supervision.requests(address),
  }
  return {
    deps: {
      secret: keys.derive('tunnel addresses'),
      domain,
      origin,
      tlsPort: () => tcp?.port,
      passwords,
      traffic: watched,
    },
    doors,
    proxy,
    supervision,
    traffic: { isTunnelHost: (host) => isTunnelHost(host, domain), isTrustedProxy, serve: proxy.request },
    async start() {
      supervision.start()
      await tcp?.start()
    },
    close() {
      tcp?.close()
      supervision.close()
    },
  }
}

/** Finds a client's address, which a trusted proxy's PROXY header has. */
function sourceFinder(isTrustedProxy: (address: string) => boolean, clock: Clock) {
  return (socket: Socket, done: (address: string | undefined) => void): void => {
    const own = plainAddress(socket.remoteAddress ?? '')
    if (!isTrustedProxy(own)) return done(own)
    readProxySource(socket, clock, (source) => done(source === 'malformed' ? undefined : (source?.address ?? own)))
  }
}
