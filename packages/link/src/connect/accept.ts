// The server's end of a link: from the HTTP upgrade request to a device that has proved possession of its key.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { LINK_DEFAULTS } from '../api.ts'
import { type LinkOutcome, type LinkOwner, serverHandshake } from './handshake.ts'
import { SocketTransport } from '../websocket/socket-transport.ts'
import { grantUpgrade } from './upgrade.ts'

/**
 * Upgrades the connection and has the device prove its key. The caller has already checked the device token and
 * whether the device may have a link (refuse with `refuseUpgrade`).
 * @param request, socket, head as `http.Server` emits them with `upgrade`
 * @param device uid, and public key as registered (SPKI or PKCS #1 PEM; Ed25519 or RSA from 2048 bits)
 * @returns the link, or the cause why there is none: `bad-request`, `version`, `protocol`, `wrong-proof`,
 *   `handshake-timeout`, or what ended the connection. Never rejects, and always disposes of the socket. Without a
 *   link `owner.handler` is never called
 */
export function acceptLink(
  request: IncomingMessage,
  socket: Duplex,
  head: Uint8Array,
  device: { uid: string; publicKeyPem: string },
  owner: LinkOwner,
): Promise<LinkOutcome> {
  const granted = grantUpgrade(request, socket)
  if (granted !== 'granted') {
    const refusal =
      granted === 'bad-request'
        ? { reason: granted, message: 'the request is not a WebSocket upgrade for the link' }
        : { reason: 'version', message: granted.otherVersion }
    return Promise.resolve({ cause: { by: 'agent', ...refusal } })
  }
  const highBytes = owner.options?.socketHighBytes ?? LINK_DEFAULTS.socketHighBytes
  const transport = new SocketTransport({ socket, head, masking: 'none', highBytes, clock: owner.clock })
  return serverHandshake(transport, device, owner)
}
