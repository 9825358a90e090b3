// Entry point: one connected socket becomes one SSH connection to a server. The caller dials.
import type { Duplex } from 'node:stream'
import { systemClock } from '@bowline/base/clock'
import { DEFAULT_LIMITS, type PeerAddress } from './api.ts'
import type { ClientHandler, SshClientConnection, SshClientOptions } from './client-api.ts'
import { ClientConnection } from './client-connection.ts'
import { checkSoftware } from './server-options.ts'
import { clientOffer } from './transport/algorithms.ts'

/**
 * Speaks SSH as a client on a connected socket (disable Nagle's algorithm first). Takes ownership of the socket: its
 * data, errors and end.
 * @param peer the server's address, for logs
 * @throws {TypeError} when the options cannot be used; never for anything the server does
 */
export function connectClient(
  socket: Duplex,
  peer: PeerAddress,
  options: SshClientOptions,
  handler: ClientHandler,
): SshClientConnection {
  checkSoftware(options.software)
  const connection = new ClientConnection(
    socket,
    peer,
    {
      software: options.software,
      role: {
        side: 'client',
        offer: clientOffer(options.hostKeyTypes),
        speaksFirst: options.speaksFirst ?? true,
        acceptsHostKey: (blob) => accepts(options, blob),
      },
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      clock: options.clock ?? systemClock,
    },
    handler,
  )
  connection.start()
  return connection
}

/** A throw refuses the key. */
function accepts(options: SshClientOptions, blob: Uint8Array): boolean {
  try {
    return options.acceptsHostKey(blob)
  } catch {
    return false
  }
}
