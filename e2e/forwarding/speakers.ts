// Servers that speak first, as SMTP, MySQL and SSH do.
import { once } from 'node:events'
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net'
import { join } from 'node:path'
import { faultOf, selfChecking } from './self-checking.ts'

const MAX_BYTES = 64 * 1024

/** How a server treats a connection. */
export type Behaviour =
  /** Sends one message and closes at once, without reading anything. */
  | 'speaks'
  /** Sends one message, reads one to EOF, and answers `1` when that arrived intact, else `0`. */
  | 'answers'

export interface Speaker {
  readonly behaviour: Behaviour
  readonly port: number
  readonly path: string
  close(): void
}

/** Listens on a free port of loopback and on a socket in `folder`. */
export async function startSpeaker(behaviour: Behaviour, folder: string): Promise<Speaker> {
  const serve = (socket: Socket): unknown => {
    socket.on('error', () => undefined)
    socket.write(selfChecking(MAX_BYTES))
    if (behaviour === 'speaks') return socket.end()
    // Not by async iteration, which destroys a socket at its end.
    const read: Buffer[] = []
    socket.on('data', (bytes: Buffer) => read.push(bytes))
    socket.on('end', () => socket.end(faultOf(Buffer.concat(read)) === undefined ? '1' : '0'))
  }
  const path = join(folder, `${behaviour}.sock`)
  const tcp = listen(serve, { host: '127.0.0.1', port: 0 })
  const unix = listen(serve, { path })
  await Promise.all([once(tcp, 'listening'), once(unix, 'listening')])
  const { port } = tcp.address() as AddressInfo
  const close = (): void => {
    tcp.close()
    unix.close()
  }
  return { behaviour, port, path, close }
}

function listen(serve: (socket: Socket) => void, where: { host: string; port: number } | { path: string }): Server {
  return createServer({ allowHalfOpen: true }, serve).listen({ ...where, backlog: 511 })
}
