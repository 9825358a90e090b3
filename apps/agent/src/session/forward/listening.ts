// Listening sockets of a user. TCP only on loopback, whatever address was requested, like sshd's default: forwards are
// for the user and the device, not for the network. A unix socket is created and removed with the user's own
// permissions. Linux keeps credentials per thread, and Node creates and binds a unix socket within `listen`, on this
// thread, and unlinks it within `close`; so neither another thread nor another process is needed, and a path that is
// swapped meanwhile leads nowhere the user could not go.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { actingAs, type Credentials } from '../../native/identity.ts'

/** Errors when IPv6 is disabled: IPv4 is enough then. */
const NO_SUCH_FAMILY = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])
const FREE_PORT_ATTEMPTS = 16
const FIRST_ROOTLESS_PORT = 1_024
/** StreamLocalBindMask of sshd_config(5): owner only. */
const SOCKET_UMASK = 0o177

/** Called with each connection, paused until it is read. */
export type Accept = (socket: Socket) => void

/** A group of listening sockets. */
export interface Listening {
  /** 0 for unix sockets. */
  readonly port: number
  close(): void
}

/**
 * Listens on 127.0.0.1 and ::1, on the same port of both.
 * @param port 0: any free port
 * @throws {Error} when the port is taken on either, or is not available to the user
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
 * Listens at a path as `user`. An existing file stays: the caller gets EADDRINUSE.
 * @throws {Error} when the user may not create it
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
  // A failed accept only affects the peer, never the agent.
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
