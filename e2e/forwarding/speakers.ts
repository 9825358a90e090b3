// Servers behind a forwarded port that speak first, as SMTP, MySQL and SSH do.
import { once } from 'node:events'
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net'
import { join } from 'node:path'
import { faultOf, selfChecking } from './self-checking.ts'

const MOST_BYTES = 64 * 1024

/** What a server does with a connection. */
export type Manner =
  /** Sends one message and closes at once, without having read anything. */
  | 'speaks'
  /** Sends one message, reads one to the end of file, and answers with `1` when that arrived whole, else `0`. */
  | 'answers'

export interface Speaker {
  readonly manner: Manner
  readonly port: number
  readonly path: string
  close(): void
}

/** Listens on a free port of loopback and on a socket in `folder`. */
export async function startSpeaker(manner: Manner, folder: string): Promise<Speaker> {
  const serve = (socket: Socket): unknown => {
    socket.on('error', () => undefined)
    socket.write(selfChecking(MOST_BYTES))
    if (manner === 'speaks') return socket.end()
    // Not by iteration, which destroys a socket at the end of what it reads.
    const read: Buffer[] = []
    socket.on('data', (bytes: Buffer) => read.push(bytes))
    socket.on('end', () => socket.end(faultOf(Buffer.concat(read)) === undefined ? '1' : '0'))
  }
  const path = join(folder, `${manner}.sock`)
  const tcp = listen(serve, { host: '127.0.0.1', port: 0 })
  const unix = listen(serve, { path })
  await Promise.all([once(tcp, 'listening'), once(unix, 'listening')])
  const { port } = tcp.address() as AddressInfo
  const close = (): void => {
    tcp.close()
    unix.close()
  }
  return { manner, port, path, close }
}

function listen(serve: (socket: Socket) => void, where: { host: string; port: number } | { path: string }): Server {
  return createServer({ allowHalfOpen: true }, serve).listen({ ...where, backlog: 511 })
}
