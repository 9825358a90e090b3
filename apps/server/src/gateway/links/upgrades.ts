// Routes HTTP upgrades by path, with the client's address. All other upgrades are refused.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { refuseUpgrade } from '@bowline/link/upgrade'
import { plainAddress } from '../../platform/network/address.ts'
import { hostCount } from '../../platform/network/known-hosts.ts'

/** Client address and requested host of an upgrade, resolved through trusted proxies. */
export interface UpgradeOrigin {
  /** The client's address. */
  readonly remote: string
  /** Requested host name, with its port. */
  readonly host: string
}

/** Handles one upgrade and takes ownership of the socket. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer, origin: UpgradeOrigin) => void

export interface Upgrades {
  readonly isTrustedProxy: (address: string) => boolean
  /** Checks whether requests may name this host. */
  readonly isKnownHost: (host: string) => boolean
  /** Checks whether a Host header names a tunnel: this server answers no upgrades there. */
  readonly isTunnelHost: (host: string) => boolean
  /** Handlers by path. */
  readonly endpoints: ReadonlyMap<string, UpgradeHandler>
}

/** Handles the `upgrade` events of an HTTP server. */
export function attachUpgrades(
  server: Server,
  { isTrustedProxy, isKnownHost, isTunnelHost, endpoints }: Upgrades,
): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined)
    const hosts = [request.headers.host ?? '', String(request.headers['x-forwarded-host'] ?? '')]
    if (hosts.some(isTunnelHost)) return refuseUpgrade(socket, 403)
    const endpoint = endpoints.get(request.url?.split('?')[0] ?? '')
    const host = askedHost(request, isTrustedProxy)
    if (hostCount(request.rawHeaders) > 1) refuseUpgrade(socket, 400)
    else if (!isKnownHost(host)) refuseUpgrade(socket, 421)
    else if (endpoint) endpoint(request, socket, head, { remote: remoteAddress(request, isTrustedProxy), host })
    else refuseUpgrade(socket, 404)
  })
}

/** The client's address: of the connection, or as forwarded by a trusted proxy. */
function remoteAddress(request: IncomingMessage, isTrustedProxy: (address: string) => boolean): string {
  let address = plainAddress(request.socket.remoteAddress ?? '')
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => plainAddress(part.trim()))
    .filter((part) => part !== '')
  // From the nearest hop outwards, as long as each hop is trusted.
  while (forwarded.length && isTrustedProxy(address)) address = forwarded.pop() ?? address
  return address
}

/** Requested host: of the request, or as forwarded by a trusted proxy. */
function askedHost({ headers, socket }: IncomingMessage, isTrustedProxy: (address: string) => boolean): string {
  const forwarded = isTrustedProxy(plainAddress(socket.remoteAddress ?? '')) ? headers['x-forwarded-host'] : undefined
  const last = String(forwarded ?? '')
    .split(',')
    .at(-1)
    ?.trim()
  return last || (headers.host ?? '')
}
