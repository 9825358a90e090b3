// The HTTP upgrade to WebSocket (RFC 6455 section 4), both ends; the subprotocol carries the link's version.
import { createHash, randomBytes } from 'node:crypto'
import { type IncomingMessage, type OutgoingHttpHeaders, STATUS_CODES, request } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ServerAddress } from './server-address.ts'

export const LINK_PATH = '/agent/link'
const LINK_VERSION = 1
const SUBPROTOCOL = /^bowline\.link\.v(\d{1,4})$/
export const LINK_SUBPROTOCOL = `bowline.link.v${LINK_VERSION}`

/** Sixteen bytes in base64 (RFC 6455 section 4.1). */
const KEY = /^[A-Za-z0-9+/]{22}==$/
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Result of a client's upgrade request. */
export type Upgraded =
  | { readonly socket: Duplex; readonly head: Uint8Array }
  | { readonly otherVersion: string }
  | { readonly status: number; readonly retryAfterSeconds: number | undefined }

/**
 * Requests the link over a connected socket, which is destroyed if the request is refused.
 * @param token the device token from `devices/auth`
 * @throws {Error} when the connection ends or the response is not HTTP
 */
export function requestUpgrade(socket: Socket, address: ServerAddress, token: string): Promise<Upgraded> {
  const key = randomBytes(16).toString('base64')
  return new Promise((resolve, reject) => {
    const asked = request({
      createConnection: () => socket,
      path: `${address.prefix}${LINK_PATH}`,
      headers: {
        Host: address.authority,
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        Authorization: `Bearer ${token}`,
        'Sec-WebSocket-Key': key,
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Protocol': LINK_SUBPROTOCOL,
      },
    })
    asked.on('error', (error) => {
      socket.destroy()
      reject(error)
    })
    asked.on('response', (response) => {
      socket.destroy()
      const otherVersion = versionProblem(response.headers['sec-websocket-protocol'], 'server')
      if (response.statusCode === 426 && otherVersion !== undefined) return resolve({ otherVersion })
      resolve({ status: response.statusCode ?? 0, retryAfterSeconds: retryAfter(response) })
    })
    asked.on('upgrade', (response, upgraded, head) => {
      const { 'sec-websocket-accept': accept, 'sec-websocket-protocol': protocol } = response.headers
      if (accept === acceptValue(key) && protocol === LINK_SUBPROTOCOL) return resolve({ socket: upgraded, head })
      upgraded.destroy()
      reject(new Error(`the server does not speak ${LINK_SUBPROTOCOL}`))
    })
    asked.end()
  })
}

/** Result of a request for the link: a WebSocket now, or the request was answered and the socket closed. */
export type Granted = 'granted' | 'bad-request' | { readonly otherVersion: string }

/**
 * Answers a client's request for the link, which the caller has already authorized. A client that speaks another
 * version of the link is answered with the version this server speaks (RFC 9110 section 15.5.22).
 */
export function grantUpgrade(request: IncomingMessage, socket: Duplex): Granted {
  const key = webSocketKey(request, socket)
  if (key === undefined) return 'bad-request'
  const offered = request.headers['sec-websocket-protocol']
  if (!namesOf(offered).includes(LINK_SUBPROTOCOL)) {
    refuseUpgrade(socket, 426, { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': LINK_SUBPROTOCOL })
    const otherVersion = versionProblem(offered, 'agent')
    return otherVersion === undefined ? 'bad-request' : { otherVersion }
  }
  socket.write(switchProtocols(key, { 'Sec-WebSocket-Protocol': LINK_SUBPROTOCOL }))
  return 'granted'
}

/**
 * Answers a client's request for a WebSocket without a subprotocol, which the caller has already authorized.
 * @returns false when the request is none: it was refused
 */
export function grantWebSocket(request: IncomingMessage, socket: Duplex): boolean {
  const key = webSocketKey(request, socket)
  if (key !== undefined) socket.write(switchProtocols(key))
  return key !== undefined
}

/** The key of a request for a WebSocket; undefined when the request is none: it was refused. */
function webSocketKey({ method, headers }: IncomingMessage, socket: Duplex): string | undefined {
  const key = headers['sec-websocket-key'] ?? ''
  if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket' || !KEY.test(key)) {
    refuseUpgrade(socket, 400)
    return undefined
  }
  if (headers['sec-websocket-version'] === '13') return key
  refuseUpgrade(socket, 426, { 'Sec-WebSocket-Version': '13' })
  return undefined
}

function switchProtocols(key: string, more: OutgoingHttpHeaders = {}): string {
  return head(101, { Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Accept': acceptValue(key), ...more })
}

/**
 * Describes why two versions of the link are incompatible and which end to update; undefined when none is offered.
 * @param offered subprotocol names as the other end listed them
 * @param peer which end the other one is
 */
function versionProblem(offered: string | undefined, peer: 'agent' | 'server'): string | undefined {
  const versions = namesOf(offered).flatMap((name) => SUBPROTOCOL.exec(name)?.[1] ?? [])
  if (versions.length === 0) return undefined
  const theirs = Math.max(...versions.map(Number))
  const [own, other] = peer === 'agent' ? ['server', 'agent'] : ['agent', 'server']
  const older = theirs < LINK_VERSION ? other : own
  return `the ${other} speaks version ${theirs} of the link, this ${own} version ${LINK_VERSION}: update the ${older}`
}

function namesOf(header: string | undefined): string[] {
  return (header ?? '').split(',').map((name) => name.trim())
}

/** Answers an upgrade request with an HTTP status and ends the connection. */
export function refuseUpgrade(socket: Duplex, status: number, headers: OutgoingHttpHeaders = {}): void {
  socket.on('error', () => undefined)
  socket.end(
    head(status, { Connection: headers['Upgrade'] ? 'close, Upgrade' : 'close', 'Content-Length': '0', ...headers }),
    () => socket.destroy(),
  )
}

function head(status: number, headers: OutgoingHttpHeaders): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`
}

function acceptValue(key: string): string {
  return createHash('sha1')
    .update(key + ACCEPT_SUFFIX)
    .digest('base64')
}

/** Seconds of a Retry-After header; its date form is not used between our own ends. */
function retryAfter(response: IncomingMessage): number | undefined {
  const value = response.headers['retry-after']
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) : undefined
}
