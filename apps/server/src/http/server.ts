// The HTTP server: accepted bodies, common headers, and answers to failures.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ServerOptions as TlsOptions } from 'node:https'
import type { Socket } from 'node:net'
import cookie from '@fastify/cookie'
import { BowlineError, fail } from '@bowline/contract/errors'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { type Binding, bind } from './binding.ts'
import { BODY_BYTES, createBodyBudget } from './input/bodies.ts'
import { requireOwnHostAndOrigin } from './caller.ts'
import { compressAnswers } from './files/compression.ts'
import { type ConnectionLimits, limitConnections } from './limits/connections.ts'
import { sendError } from './errors.ts'
import { excessOf, repeatedName } from './input/json-shape.ts'
import { beginRequest, endRequest } from './request-trace.ts'
import { UNSTORABLE, isStorable } from '../platform/input/storable.ts'
import { limitPipelining } from './limits/pipelining.ts'
import type { Route } from './route.ts'
import { type TunnelTraffic, chooseProtocol, divertTunnels, mayUpgrade } from './tunnel-hosts.ts'

/** Timeouts of clients, in milliseconds. */
export interface ClientTimeouts {
  /** For the head of a request. */
  readonly headMs: number
  /** For a whole request. */
  readonly requestMs: number
  /** Interval of the timeout check. */
  readonly checkMs: number
}
const CLIENT_TIMEOUTS: ClientTimeouts = { headMs: 10_000, requestMs: 30_000, checkMs: 5_000 }

export interface HttpOptions extends Binding {
  readonly routes: readonly Route[]
  /** Addresses and ranges whose `X-Forwarded-*` headers are trusted. */
  readonly trustedProxies: readonly string[]
  /** True if requests may use this host name. */
  readonly isKnownHost: (host: string) => boolean
  /** Default: none. */
  readonly connections?: ConnectionLimits
  readonly tls?: TlsOptions
  readonly clientTimeouts?: ClientTimeouts
  /** Takes the requests for tunnel hosts, where nothing of this server answers. */
  readonly tunnels?: TunnelTraffic | undefined
}

/** Creates the server with all routes; the caller listens. */
export async function createHttpServer(options: HttpOptions): Promise<FastifyInstance> {
  const { log, clientTimeouts = CLIENT_TIMEOUTS } = options
  const limits = {
    headersTimeout: clientTimeouts.headMs,
    connectionsCheckingInterval: clientTimeouts.checkMs,
    shouldUpgradeCallback: (request: IncomingMessage) =>
      options.tunnels === undefined || mayUpgrade(request, options.tunnels),
  }
  const server = fastify({
    bodyLimit: BODY_BYTES,
    connectionTimeout: 60_000,
    requestTimeout: clientTimeouts.requestMs,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    trustProxy: options.trustedProxies.length ? [...options.trustedProxies] : false,
    genReqId: () => randomUUID(),
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    // The hook below answers in the catalogue's form, with a request id.
    return503OnClosing: false,
    // An address that cannot be decoded, or is absurdly long, names nothing.
    frameworkErrors: (_, request, reply) => {
      setCommonHeaders(request, reply)
      sendError(unknownRoute(request), request, reply, log)
    },
    clientErrorHandler: (error, socket) => {
      // Requests of a tunnel may take any time.
      const isLongBody = (error as { code?: string }).code === 'ERR_HTTP_REQUEST_TIMEOUT' && tunnels?.isBusy(socket)
      if (!isLongBody) refuseUnreadable(error, socket)
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512 },
    ...(options.tls
      ? { https: { ...options.tls, ...limits, ...(options.tunnels ? chooseProtocol(options.tunnels) : {}) } }
      : { http: limits }),
  }) as unknown as FastifyInstance
  const tunnels = options.tunnels && divertTunnels(server.server, options.tunnels)
  await server.register(cookie)
  compressAnswers(server)
  readJsonOnly(server)
  const connections = options.connections && limitConnections(server.server, options.connections)
  const bodies = createBodyBudget()
  let closing = false
  server.addHook('preClose', async () => {
    closing = true
    tunnels?.close()
  })
  const pipelining = limitPipelining()
  server.addHook('onRequest', async (request, reply) => {
    if (!pipelining.begin(request.raw.socket)) return reply.hijack()
    beginRequest(request)
    setCommonHeaders(request, reply)
    // Reached only on connections opened before shutdown; a load balancer should send them elsewhere.
    if (closing) fail('UNAVAILABLE', { what: 'it is stopping' })
    requireOwnHostAndOrigin(request, options.isKnownHost)
    // Runs before the body is read.
    if (request.is404) throw unknownRoute(request)
  })
  server.addHook('preParsing', async (request, _, payload) => {
    // The credential has been checked, if one is required. Files and the like need none.
    const access = request.routeOptions.config.operation?.access.kind
    if (access !== undefined && access !== 'public') connections?.keep(request.raw.socket)
    bodies.admit(request)
    return payload
  })
  server.addHook('onResponse', async (request, reply) => {
    connections?.release(request.raw.socket)
    pipelining.end(request.raw.socket)
    endRequest(request, reply.statusCode)
    log.debug('http.request', {
      request: request.id,
      method: request.method,
      path: request.routeOptions.url ?? '(none)',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      source: request.ip,
    })
  })
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply, log))
  server.setNotFoundHandler((request, reply) => sendError(unknownRoute(request), request, reply, log))
  for (const route of options.routes) if (route.operation.body) bind(server, route, options)
  await server.register(async (scope) => {
    ignoreBodies(scope)
    for (const route of options.routes) if (!route.operation.body) bind(scope, route, options)
  })
  return server
}

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('x-request-id', request.id)
  void reply.header('x-content-type-options', 'nosniff')
  void reply.header('x-frame-options', 'SAMEORIGIN')
  void reply.header('referrer-policy', 'same-origin')
  if (request.protocol === 'https') void reply.header('strict-transport-security', 'max-age=31536000')
  if (!request.url.startsWith('/api/')) return
  void reply.header('cache-control', 'no-store')
  // API answers are data: a browser that renders one must run and load nothing.
  void reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
}

function unknownRoute({ method, url }: FastifyRequest): BowlineError {
  return new BowlineError('ROUTE_NOT_FOUND', { method, path: url.split('?')[0] ?? '' })
}

/** Answers malformed HTTP, timeouts and oversized headers, for which there is no request object. */
function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? '408 Request Timeout'
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? '431 Request Header Fields Too Large'
        : '400 Bad Request'
  const body = JSON.stringify({ message: 'The request is not readable HTTP.' })
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Accepts JSON bodies only: pages of other sites can post plain text without a preflight. */
function readJsonOnly(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error')
  server.removeAllContentTypeParsers()
  server.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    // Empty text means no body: the error names the missing fields.
    if (text.trim() === '') return done(null, undefined)
    if (request.routeOptions.config.operation?.keepsText) request.bodyText = text
    const excess = excessOf(text)
    if (excess !== undefined) return done(new BowlineError('UNREADABLE_BODY', { rule: `it ${excess}` }))
    void parse(request, text, (error, value) => {
      if (error) return done(error, value)
      const flaw = isStorable(text, value) ? repeatedName(text) : UNSTORABLE
      if (flaw === undefined) done(error, value)
      else done(new BowlineError('UNREADABLE_BODY', { rule: `it ${flaw}` }))
    })
  })
}

/** Operations without a body accept and ignore any, within the limit. */
function ignoreBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, __, done) => done(null, undefined))
  scope.addHook('onRequest', async (request) => {
    // A malformed media type would be refused before any parser is asked.
    delete request.headers['content-type']
  })
}
