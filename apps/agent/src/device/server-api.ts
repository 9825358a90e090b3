// The agent's few HTTP calls, with the same trust as its link: the connection is established and verified first, then
// used for one request. Redirects are not followed: an address that redirects is a wrong address.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connectServer, type ServerAddress } from '@bowline/link/server-address'

/** Not through `import`, which would also load unused parts of node:http, 12 MB of them. */
const { request } = process.getBuiltinModule('node:http')

/** A server to call: its address and, with a pin, the digests of {@link parsePin}. */
export interface Server {
  readonly address: ServerAddress
  readonly pins: readonly Uint8Array[] | undefined
}

export interface Answer {
  readonly status: number
  /** Parsed JSON; undefined when the body is not JSON. */
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Difference of the clocks by {@link secondsAhead}; undefined when the server sent no time. */
  readonly clockAheadSeconds: number | undefined
}

const CALL_TIMEOUT_MS = 20_000
const MAX_BODY_BYTES = 64 * 1024

/**
 * @param path with query, below the address's prefix
 * @param body sent as JSON
 * @param signal aborts the call; it also times out after 20 seconds
 * @throws {ConnectError} when there is no trusted connection
 * @throws {Error} when the server's response is invalid
 */
export async function callServer(
  server: Server,
  call: { method: 'GET' | 'POST'; path: string; userAgent: string; body?: object },
  signal: AbortSignal,
): Promise<Answer> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(CALL_TIMEOUT_MS)])
  const socket = await connectServer(server.address, server.pins, within)
  try {
    const headers = { accept: 'application/json' }
    const sentAt = Date.now()
    const incoming = await requestOver(socket, server, { ...call, headers }, within)
    let bytes = 0
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_BODY_BYTES) incoming.destroy(new Error('the answer is larger than 64 KiB'))
    })
    const clockAheadSeconds = secondsAhead(sentAt, Date.now(), incoming.headers.date)
    const { statusCode: status = 0 } = incoming
    return { status, body: parsed(await text(incoming)), headers: incoming.headers, clockAheadSeconds }
  } finally {
    socket.destroy()
  }
}

/** One request over a connection to the server. @returns the answer, whose body the caller reads */
export function requestOver(
  socket: Socket,
  { address: { prefix, authority } }: Server,
  call: { method: 'GET' | 'POST'; path: string; userAgent: string; body?: object; headers: Record<string, string> },
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const payload = call.body ? JSON.stringify(call.body) : undefined
    const outgoing = request({
      createConnection: () => socket,
      method: call.method,
      path: `${prefix}${call.path}`,
      headers: {
        host: authority,
        connection: 'close',
        'user-agent': call.userAgent,
        ...call.headers,
        ...(payload ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) } : {}),
      },
      signal,
    })
    outgoing.on('error', reject)
    outgoing.on('response', resolve)
    outgoing.end(payload)
  })
}

/**
 * Least difference between this machine's clock and the server's. The server wrote its time between the two moments, and
 * in whole seconds (RFC 9110, section 5.6.7): what that leaves open does not count. Two processes with one clock would
 * differ by it, and a server ignores a registration that seems to be signed before the last one.
 * @param sentAt as `receivedAt`, in milliseconds since 1970 by this machine's clock
 * @param date the header `Date`
 * @returns whole seconds, negative when the clock is behind; undefined without a date
 */
export function secondsAhead(sentAt: number, receivedAt: number, date: string | undefined): number | undefined {
  const serverTime = Date.parse(String(date))
  if (Number.isNaN(serverTime)) return undefined
  const least = sentAt - (serverTime + 1_000)
  const most = receivedAt - serverTime
  if (least <= 0 && most >= 0) return 0
  return Math.round((least > 0 ? least : most) / 1_000)
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
