// Sockets that listen for a person. TCP only on loopback, whatever address was asked for, as sshd does by default: what
// a person forwards is theirs and the device's, not the network's. A unix socket is made, and taken away, with the
// person's own rights. Linux keeps credentials per thread, and Node makes and binds a unix socket within `listen`, on
// this thread, as it unlinks it within `close`; so neither another thread nor another process is needed, and a path
// that leads elsewhere by then leads nowhere the person could not go.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { actingAs, type Credentials } from '../../native/identity.ts'

/** Where IPv6 is switched off, IPv4 is enough. */
const NO_SUCH_FAMILY = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])
const FREE_PORT_ATTEMPTS = 16
const FIRST_ROOTLESS_PORT = 1_024
/** StreamLocalBindMask of sshd_config(5): nobody but the owner. */
const SOCKET_UMASK = 0o177

/** `accept` gets each connection, paused until somebody reads it. */
export type Accept = (socket: Socket) => void

/** Listening sockets that belong together. */
export interface Listening {
  /** 0 for unix sockets. */
  readonly port: number
  close(): void
}

/**
 * Listens on 127.0.0.1 and ::1, on the same port of both.
 * @param port 0: any that is free
 * @throws {Error} when the port is taken on either, or is not the person's to take
 */
export async function listenOnLoopback(user: Credentials, port: number, accept: Accept): Promise<Listening> {
  if (port !== 0 && port < FIRST_ROOTLESS_PORT && user.uid !== 0) throw new Error('ports below 1024 are for root only')
  for (let attempt = 1; ; attempt += 1) {
    const first = await listening(newServer(accept), { host: '127.0.0.1', port })
    const bound = portOf(first)
    try {
      const second = await listening(newServer(accept), { host: '::1', port: bound, ipv6Only: true })
      return together(bound, [first, second])
    } catch (error) {
      const code = codeOf(error)
      if (NO_SUCH_FAMILY.has(code)) return together(bound, [first])
      first.close()
      if (port !== 0 || code !== 'EADDRINUSE' || attempt === FREE_PORT_ATTEMPTS) throw error
    }
  }
}

/**
 * Listens at a path as `user`. What is there already stays there: the caller gets EADDRINUSE.
 * @throws {Error} when the user may not make it
 */
export async function listenOnPath(user: Credentials, path: string, accept: Accept): Promise<Listening> {
  if (!path.startsWith('/') || path.includes('\0')) throw new Error('the path of a socket must be absolute')
  const server = newServer(accept)
  const before = process.umask(SOCKET_UMASK)
  const bound = once(server, 'listening')
  try {
    actingAs(user, () => server.listen({ path }))
  } finally {
    process.umask(before)
  }
  await bound
  let open = true
  return {
    port: 0,
    close() {
      if (open) actingAs(user, () => server.close())
      open = false
    },
  }
}

function newServer(accept: Accept): Server {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, accept)
  // A connection that could not be accepted is the peer's loss, never the agent's end.
  return server.on('error', () => undefined)
}

async function listening(server: Server, where: { host: string; port: number; ipv6Only?: true }): Promise<Server> {
  server.listen(where)
  await once(server, 'listening')
  return server
}

function together(port: number, servers: readonly Server[]): Listening {
  return {
    port,
    close() {
      for (const server of servers) server.close()
    },
  }
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

/** The errno's name, '' for other errors. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
