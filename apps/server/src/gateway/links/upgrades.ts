// Routes HTTP upgrades by path, with the client's address. All other upgrades are refused.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { refuseUpgrade } from '@bowline/link/upgrade'
import { hostCount } from '../../platform/network/known-hosts.ts'
import { askedHost, isSecure, remoteAddress } from '../../platform/network/request-origin.ts'

/** Client address and requested host of an upgrade, resolved through trusted proxies. */
export interface UpgradeOrigin {
  /** The client's address. */
  readonly remote: string
  /** Requested host name, with its port. */
  readonly host: string
  /** True if the client has used https. */
  readonly secure: boolean
}

/** Handles one upgrade and takes ownership of the socket. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer, origin: UpgradeOrigin) => void

export interface Upgrades {
  readonly isTrustedProxy: (address: string) => boolean
  /** Checks whether requests may name this host. */
  readonly isKnownHost: (host: string) => boolean
  /** Checks whether a Host header names a tunnel: none of this server's endpoints exist there. */
  readonly isTunnelHost: (host: string) => boolean
  /** Handles the upgrades of tunnels; default: they are refused. */
  readonly tunnels: UpgradeHandler | undefined
  /** Handlers by path. */
  readonly endpoints: ReadonlyMap<string, UpgradeHandler>
}

/** Handles the `upgrade` events of an HTTP server. */
export function attachUpgrades(
  server: Server,
  { isTrustedProxy, isKnownHost, isTunnelHost, tunnels, endpoints }: Upgrades,
): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined)
    const hosts = [request.headers.host ?? '', String(request.headers['x-forwarded-host'] ?? '')]
    const host = askedHost(request, isTrustedProxy)
    const origin = { remote: remoteAddress(request, isTrustedProxy), host, secure: isSecure(request, isTrustedProxy) }
    if (hosts.some(isTunnelHost)) return tunnels ? tunnels(request, socket, head, origin) : refuseUpgrade(socket, 403)
    const endpoint = endpoints.get(request.url?.split('?')[0] ?? '')
    if (hostCount(request.rawHeaders) > 1) refuseUpgrade(socket, 400)
    else if (!isKnownHost(host)) refuseUpgrade(socket, 421)
    else if (endpoint) endpoint(request, socket, head, origin)
    else refuseUpgrade(socket, 404)
  })
}
