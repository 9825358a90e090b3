// Forwards of a test server: TCP and UNIX sockets both ways, and the client's agent. An example of passing on credit.
import { once } from 'node:events'
import { createServer, connect as dial } from 'node:net'
import type { Server, Socket } from 'node:net'
import { listeningPort } from '@bowline/base/testing/listening-port'
import type {
  ChannelDecision,
  ChannelHandler,
  ChannelOpen,
  ListenRequest,
  SshChannel,
  SshConnection,
} from '../../src/api.ts'
import { OPEN_CONNECT_FAILED } from '../../src/api.ts'
import { WireWriter } from '../../src/wire/writer.ts'

/** Pipes a channel and a socket into each other, with flow control in both directions. */
export function joinSocket(channel: SshChannel, socket: Socket): ChannelHandler {
  socket.on('data', (bytes: Buffer) => {
    if (!channel.write(bytes)) socket.pause()
  })
  socket.on('end', () => channel.eof())
  socket.on('error', () => undefined)
  socket.on('close', () => channel.close())
  return {
    data: (bytes) => {
      socket.write(bytes, () => channel.consumed(bytes.length))
    },
    drain: () => void socket.resume(),
    eof: () => void socket.end(),
    // The client may close as soon as both ends have sent eof; its data may still be queued.
    closed: () => socket.destroySoon(),
  }
}

/** Connects to the target a client requests; resolves once the outcome is known. */
export async function openForward(request: ChannelOpen): Promise<ChannelDecision> {
  if (request.type === 'session') return { accept: false, code: OPEN_CONNECT_FAILED, message: 'not a forward' }
  const socket =
    request.type === 'direct-tcpip'
      ? dial({ host: request.host, port: request.port, allowHalfOpen: true })
      : dial({ path: request.path, allowHalfOpen: true })
  try {
    await once(socket, 'connect')
  } catch {
    return { accept: false, code: OPEN_CONNECT_FAILED, message: 'nobody listens there' }
  }
  return { accept: true, attach: (channel) => joinSocket(channel, socket) }
}

/** The listeners that clients have requested. */
export class Listeners {
  readonly #servers = new Map<string, Server>()

  /** Listens on loopback or the socket path, and opens a channel for every connection. */
  async listen(connection: SshConnection, request: ListenRequest): Promise<number> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
      const [type, fields] = describe(request, socket, server)
      connection
        .openChannel(type, fields, (channel) => {
          const handler = joinSocket(channel, socket)
          socket.resume()
          return handler
        })
        .catch(() => socket.destroy())
    })
    server.listen(
      request.type === 'tcpip-forward' ? { host: '127.0.0.1', port: request.port } : { path: request.address },
    )
    await once(server, 'listening')
    const port = request.type === 'tcpip-forward' ? listeningPort(server) : 0
    this.#servers.set(`${request.address}:${request.port === 0 ? port : request.port}`, server)
    return port
  }

  async unlisten(request: ListenRequest): Promise<boolean> {
    const key = `${request.address}:${request.port}`
    const server = this.#servers.get(key)
    this.#servers.delete(key)
    server?.close()
    return server !== undefined
  }

  close(): void {
    for (const server of this.#servers.values()) server.close()
    this.#servers.clear()
  }
}

function describe(request: ListenRequest, socket: Socket, server: Server): [string, Uint8Array] {
  if (request.type === 'streamlocal-forward@openssh.com') {
    return ['forwarded-streamlocal@openssh.com', new WireWriter().string(request.address).string('').done()]
  }
  const fields = new WireWriter().string(request.address).uint32(listeningPort(server))
  return [
    'forwarded-tcpip',
    fields
      .string(socket.remoteAddress ?? '')
      .uint32(socket.remotePort ?? 0)
      .done(),
  ]
}
