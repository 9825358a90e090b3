// The port a test server was given.
import type { AddressInfo, Server } from 'node:net'

/** @throws {Error} when the server does not listen on TCP */
export function listeningPort(server: Server): number {
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  return address.port
}
