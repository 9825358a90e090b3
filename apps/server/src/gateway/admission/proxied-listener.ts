// PROXY headers in front of other protocols than SSH: a balancer that passes TLS or HTTP on unread names its client so.
import type { Server, Socket } from 'node:net'
import type { Clock } from '@bowline/base/clock'
import { plainAddress } from '../../platform/network/address.ts'
import { readProxySource } from './proxied-socket.ts'
import type { ProxySource } from './proxy-header.ts'

export interface ProxiedListener {
  readonly isTrustedProxy: (address: string) => boolean
  readonly clock: Clock
  /** A trusted proxy has sent a header that is not valid; its connection was dropped. */
  readonly refused: (proxy: string) => void
}

/**
 * Gives connections from trusted proxies the address of the client that their header names, before any other listener of
 * `connection` sees them. Those without a header are the proxy's own: it speaks HTTP itself, or checks health. What a
 * client behind such a header claims in `X-Forwarded-For` is then judged by the client's address, not by the proxy's.
 * Call it after everything else that listens for connections, and before the server listens.
 */
export function readProxyHeaders(server: Server, { isTrustedProxy, clock, refused }: ProxiedListener): void {
  const others = server.listeners('connection')
  /** Clients of connections whose TLS handshake is under way, by the proxy's address and port. */
  const clients = new Map<string, ProxySource>()
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const pass = (): void => {
      for (const listener of others) Reflect.apply(listener, server, [socket])
    }
    const proxy = plainAddress(socket.remoteAddress ?? '')
    if (!isTrustedProxy(proxy)) return pass()
    socket.on('error', () => undefined)
    readProxySource(socket, clock, (source) => {
      if (source === 'malformed') {
        refused(proxy)
        return void socket.destroy()
      }
      if (source) {
        const peer = peerOf(socket)
        clients.set(peer, source)
        socket.once('close', () => clients.delete(peer))
        rename(socket, source)
      }
      pass()
    })
  })
  // A TLS socket asks the kernel for its peer again.
  server.prependListener('secureConnection', (socket: Socket) => {
    const client = clients.get(peerOf(socket))
    if (client) rename(socket, client)
  })
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

function rename(socket: Socket, { address, port }: ProxySource): void {
  Object.defineProperties(socket, { remoteAddress: { value: address }, remotePort: { value: port } })
}
