// A service of the device, on a port of its loopback address.
import type { Server, Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Protocol } from '../row.ts'

export interface Service extends AsyncDisposable {
  readonly port: number
  readonly protocol: Protocol
}

/** Has a server listen on loopback. */
export async function serve(server: Server, protocol: Protocol): Promise<Service> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    protocol,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
