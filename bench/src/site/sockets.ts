// Sockets of the bench itself, as clients and services of tunnels.
import { once } from 'node:events'
import { type AddressInfo, type Server, createServer } from 'node:net'
import type { Writable } from 'node:stream'

const CHUNK = Buffer.alloc(65_536)

/** Sends that many zeros at the pace of the other side. */
export async function send(socket: Writable, bytes: number): Promise<void> {
  for (let left = bytes; left > 0 && !socket.destroyed; left -= CHUNK.length) {
    if (!socket.write(left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK)) await once(socket, 'drain')
  }
}

/** Has a server listen on loopback until the end of `parts`. @returns its port */
export async function listen(parts: AsyncDisposableStack, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  parts.defer(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A port that was just free. */
export async function freePort(): Promise<number> {
  await using parts = new AsyncDisposableStack()
  const port = await listen(parts, createServer())
  return port
}
