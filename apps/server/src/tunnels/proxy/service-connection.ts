// The connection to a tunnel's service: through the device, with TLS where the tunnel says so.
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as startTls } from 'node:tls'
import type { Clock } from '@bowline/base/clock'
import { CIPHERS_OF_STRANGERS } from '@bowline/base/tls-clients'
import type { Link } from '@bowline/link/api'
import type { LiveTunnel } from '../live.ts'
import { LinkSocket } from './link-socket.ts'

/** Opens a connection to the service; failures are errors of the stream. */
export function connectService(link: Link, tunnel: LiveTunnel, clock: Clock): Duplex {
  const socket = new LinkSocket(link, { host: tunnel.host, port: tunnel.port }, clock)
  if (tunnel.tls === 'none') return socket
  const name = tunnel.hostHeader.replace(/:\d+$/, '').replace(/^\[|\]$/g, '') || tunnel.host
  const secured = startTls({
    socket,
    host: name,
    ...(isIP(name) === 0 ? { servername: name } : {}),
    rejectUnauthorized: tunnel.tls === 'verify',
    ciphers: CIPHERS_OF_STRANGERS,
    ALPNProtocols: [tunnel.http2 ? 'h2' : 'http/1.1'],
  })
  socket.on('error', (error) => secured.destroy(error))
  secured.on('close', () => socket.destroy())
  return secured
}
