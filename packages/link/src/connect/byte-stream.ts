// A WebSocket that carries a byte stream in binary messages without a subprotocol, for tunnels that are no link.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '@bowline/base/clock'
import { LINK_DEFAULTS } from '../api.ts'
import type { Transport, TransportEvents } from '../session/transport.ts'
import { SocketTransport } from '../websocket/socket-transport.ts'
import { grantWebSocket } from './upgrade.ts'

export type { Transport, TransportEvents }

/**
 * Upgrades a connection that the caller has already authorized.
 * @param request, socket, head as `http.Server` emits them with `upgrade`
 * @returns undefined when the request is no WebSocket: it was refused
 */
export function acceptByteStream(
  request: IncomingMessage,
  socket: Duplex,
  head: Uint8Array,
  clock: Clock,
): Transport | undefined {
  if (!grantWebSocket(request, socket)) return undefined
  return new SocketTransport({ socket, head, masking: 'none', highBytes: LINK_DEFAULTS.socketHighBytes, clock })
}
