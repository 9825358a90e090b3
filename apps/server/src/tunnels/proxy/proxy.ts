// The traffic of tunnels: from the request for a tunnel's host to the service behind the device.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import type { Link } from '@bowline/link/api'
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import { sourceKey } from '../../platform/network/address.ts'
import type { Log } from '../../platform/log.ts'
import type { Doorkeeper, Visitor } from '../doors/doorkeeper.ts'
import { type LiveTunnel, findByLabel, isKnownBy, noteAccess } from '../live.ts'
import { labelOf } from '../names.ts'
import { startAccounting } from './accounting.ts'
import { type Arrival, httpArrival, upgradeArrival } from './arrival.ts'
import type { ClientRequest, ClientResponse } from './exchange.ts'
import type { Origin } from './headers/headers.ts'
import { KeptConnections } from './kept-connections.ts'
import type { OpenRequest } from './open-requests.ts'
import { type FailureCode, type Page, failurePage } from './pages.ts'
import { requestFault } from './request-faults.ts'
import { connectService } from './service-connection.ts'
import { shareLookups } from './shared-lookups.ts'
import type { Supervision } from './supervision.ts'

export interface ProxyDeps {
  /** System connection. */
  readonly system: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  /** Parent domain of tunnels. */
  readonly domain: string
  readonly doors: Pick<Doorkeeper, 'ask' | 'mayStay'>
  readonly supervision: Pick<Supervision, 'open' | 'record' | 'watchExpiry'>
  /** True if the namespace must choose devices first: it has more than it may without a subscription. */
  readonly isLapsed: (tenant: TenantId) => Promise<boolean>
  /** The link of a device on this node. */
  readonly linkOf: (device: DeviceUid) => Promise<Link | undefined>
}

export interface TunnelProxy {
  /** Answers a request for a tunnel's host. */
  readonly request: (request: ClientRequest, response: ClientResponse, origin: Origin, expectsContinue: boolean) => void
  /** Answers an upgrade for a tunnel's host and takes ownership of the socket. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer, origin: Origin) => void
}

/** Answer to a request that is ended from this side. */
const CODES = { ended: 'UNKNOWN', timeout: 'TIMEOUT', crowded: 'BUSY' } as const
/** Requests per second and source. */
const REQUESTS = { perSecond: 200, burst: 2_000 }
/** Requests per second and source for addresses without a tunnel: each costs a query. */
const UNKNOWN = { perSecond: 5, burst: 100 }

export function createTunnelProxy(deps: ProxyDeps): TunnelProxy {
  const { system, clock, log, doors } = deps
  const { open, record, watchExpiry } = deps.supervision
  const rate = new RateLimiter(clock, REQUESTS)
  const unknown = new RateLimiter(clock, UNKNOWN)
  const kept = new KeptConnections(clock)

  const lookUp = shareLookups((label: string | undefined) => findByLabel(system, label, clock.now()))

  /** Finds the tunnel of a request and judges the visitor. @returns the tunnel, or the answer */
  async function admit(label: string | undefined, visitor: Visitor, entry: OpenRequest): Promise<LiveTunnel | Page> {
    const { accept } = visitor.headers
    if (!unknown.has(entry.source)) return failurePage('TOO_MANY', accept)
    const found = await lookUp(label)
    if (found?.protocol !== 'http') {
      unknown.take(entry.source)
      return failurePage('UNKNOWN', accept)
    }
    const page = await doors.ask(found, visitor)
    if (page) return page
    if (await deps.isLapsed(found.tenant)) return failurePage('LAPSED', accept)
    return (await noteAccess(system, found, clock.now())) ?? failurePage('UNKNOWN', accept)
  }

  function handle(arrival: Arrival): void {
    const { request, origin } = arrival
    const { headers, method = '', url = '' } = request
    const refuse = (code: FailureCode): void => arrival.answer(failurePage(code, headers.accept))
    const fault = requestFault(request, origin)
    if (fault) return refuse(fault)
    const source = sourceKey(origin.remote)
    if (!rate.take(source)) return refuse('TOO_MANY')
    const label = labelOf(origin.host, deps.domain)
    let abort = (): void => undefined
    const entry: OpenRequest = {
      label: label ?? '',
      source,
      activeAt: clock.monotonic(),
      answered: false,
      end(why) {
        abort()
        refuse(CODES[why])
      },
    }
    if (!open.add(entry)) return refuse('BUSY')
    const counts = startAccounting(clock, entry, { method, path: url, source: origin.remote })
    let stopWatching = (): void => undefined
    arrival.onClose(() => {
      stopWatching()
      open.remove(entry)
      if (entry.tunnel) record(entry.tunnel, counts.entry(arrival.status()))
      abort()
    })
    const visitor: Visitor = { method, url, headers, origin, body: request }
    admit(label, visitor, entry)
      .then(async (admitted) => {
        if (arrival.isGone() || !open.has(entry)) return
        if ('body' in admitted) return arrival.answer(admitted)
        if (!open.assign(entry, admitted)) return refuse('BUSY')
        entry.mayStay = async (current) =>
          current.protocol === 'http' && isKnownBy(current, label) && doors.mayStay(current, visitor)
        entry.activeAt = clock.monotonic()
        stopWatching = watchExpiry(entry)
        const link = await deps.linkOf(admitted.device)
        if (arrival.isGone() || !open.has(entry)) return
        if (!link) return refuse('OFFLINE')
        const connections = new Set<Duplex>()
        const dial = (): Duplex => connectService(link, admitted, clock)
        const connect = (): Duplex => {
          const connection = dial()
          connections.add(connection)
          return connection.once('close', () => connections.delete(connection))
        }
        // Whatever becomes of the exchange: no connection through the device that is its own outlives it.
        const drop = (): void => connections.forEach((connection) => connection.destroy())
        abort = drop
        const end = arrival.carry(admitted, { connect, open: dial, kept }, counts, () => (entry.answered = true))
        abort = () => {
          end()
          drop()
        }
      })
      .catch((error: unknown) => {
        log.error('tunnels.error', { err: error })
        abort()
        refuse('BUSY')
      })
  }

  return {
    request: (request, response, origin, expectsContinue) =>
      handle(httpArrival(request, response, origin, expectsContinue)),
    upgrade: (request, socket, head, origin) => handle(upgradeArrival(request, socket, head, origin)),
  }
}
