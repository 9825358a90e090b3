// Entry point: one accepted socket becomes one SSH connection. The caller owns the listener and admission.
import type { Duplex } from 'node:stream'
import type { ConnectionHandler, PeerAddress, SshConnection, SshServerOptions } from './api.ts'
import { ServerConnection } from './server-connection.ts'
import { prepareOptions } from './server-options.ts'

/**
 * Serves SSH on a connected socket (disable Nagle's algorithm first). Takes ownership of the socket: its data, errors
 * and end. Options are validated once per object, so pass the same object for every connection.
 * @throws {TypeError} when the options cannot be used; never for anything the peer does
 */
export function acceptConnection(
  socket: Duplex,
  peer: PeerAddress,
  options: SshServerOptions,
  handler: ConnectionHandler,
): SshConnection {
  const connection = new ServerConnection(socket, peer, prepareOptions(options), handler)
  connection.start()
  return connection
}
