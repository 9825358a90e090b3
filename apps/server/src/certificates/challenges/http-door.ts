// The port for http-01 (RFC 8555 section 8.3). It answers tokens of orders under way, redirects everything else to https,
// and reads no bodies.
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import { type ConnectionLimits, limitConnections } from '../../http/limits/connections.ts'
import { plainAddress, sourceKey } from '../../platform/network/address.ts'
import type { Log } from '../../platform/log.ts'

export interface HttpDoorParts {
  readonly clock: Clock
  readonly log: Log
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly connections: ConnectionLimits
  /** Finds the key authorization of a token, for a name with a pending order. */
  readonly find: (token: string, name: string) => Promise<string | undefined>
  /** True for host names that are redirected. */
  readonly isOwnName: (name: string) => boolean
  /** Port of https as people reach it. */
  readonly httpsPort: () => number
}

export interface HttpDoor {
  /** Listening port; 0 before the start. */
  readonly port: number
  /** Rejects when the port is not available. */
  start(): Promise<void>
  close(): Promise<void>
}

const CHALLENGE = /^\/\.well-known\/acme-challenge\/([A-Za-z0-9_-]{16,128})$/
/** Characters of host names: with others, such as `/` or `@`, an address that ends with our name would lead elsewhere. */
const HOST_NAME = /^[a-z0-9.-]{1,253}$/
/** Questions for tokens per second and source: each costs a query. */
const QUESTIONS = { perSecond: 10, burst: 100 }
const HEAD_MS = 10_000
const IDLE_MS = 20_000

export function createHttpDoor(parts: HttpDoorParts): HttpDoor {
  const questions = new RateLimiter(parts.clock, QUESTIONS)
  const limits = { headersTimeout: HEAD_MS, requestTimeout: HEAD_MS, connectionsCheckingInterval: HEAD_MS / 2 }
  const server: Server = createServer({ ...limits, maxHeaderSize: 8_192, keepAlive: false }, (request, response) => {
    response.setHeader('connection', 'close')
    answer(request, response).catch((error: unknown) => {
      parts.log.error('certificate.error', { err: error })
      refuse(response, 503)
    })
  })
  limitConnections(server, parts.connections)
  server.on('clientError', (_, socket) => socket.destroy())
  // Nobody else would end what asks for another protocol: that a listener counts it is enough to keep it open.
  server.on('upgrade', (_, socket) => socket.destroy())
  server.timeout = IDLE_MS

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const name = (headers.host ?? '').replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
    if (method !== 'GET' && method !== 'HEAD') return refuse(response, 405)
    const [, token] = CHALLENGE.exec(url) ?? []
    if (token !== undefined) {
      if (!questions.take(sourceKey(plainAddress(request.socket.remoteAddress ?? '')))) return refuse(response, 429)
      const proof = await parts.find(token, name)
      if (proof === undefined) return refuse(response, 404)
      const type = { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' }
      response.writeHead(200, { ...type, 'content-length': Buffer.byteLength(proof) })
      return void response.end(method === 'HEAD' ? '' : proof)
    }
    // A target in absolute form would have a host of its own; a name that is not ours would be led to wherever it wants.
    if (!url.startsWith('/') || !HOST_NAME.test(name) || !parts.isOwnName(name)) return refuse(response, 421)
    const port = parts.httpsPort()
    response.writeHead(308, { location: `https://${name}${port === 443 ? '' : `:${port}`}${url}` })
    response.end()
  }

  return {
    get port() {
      return (server.address() as AddressInfo | null)?.port ?? 0
    },
    start: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen({ host: parts.host, port: parts.port }, () => {
          server.off('error', reject)
          server.on('error', (error) => parts.log.error('certificate.error', { err: error }))
          resolve()
        })
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function refuse(response: ServerResponse, status: number): void {
  if (!response.headersSent) response.writeHead(status, { 'content-length': 0 })
  response.end()
}
