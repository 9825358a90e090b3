// Requests for tunnel hosts leave the way of the API here, before anything of it sees them: they belong to a device's
// service. Over TLS they may come as HTTP/2, which nothing else of this server speaks.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import {
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  createServer as createHttp2Server,
} from 'node:http2'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { askedHost, isSecure, remoteAddress } from '../platform/network/request-origin.ts'
import { limitPipelining } from './limits/pipelining.ts'

type Request = IncomingMessage | Http2ServerRequest
type Response = ServerResponse | Http2ServerResponse

export interface TunnelTraffic {
  readonly isTunnelHost: (host: string) => boolean
  readonly isTrustedProxy: (address: string) => boolean
  /** Answers a request. `expectsContinue`: its body comes only after `100 Continue`. */
  readonly serve: (
    request: Request,
    response: Response,
    origin: { readonly remote: string; readonly host: string; readonly secure: boolean },
    expectsContinue: boolean,
  ) => void
}

export interface Diverted {
  /** True while a connection carries a request of a tunnel. */
  isBusy(socket: Socket): boolean
  /** Ends the connections of HTTP/2 once their requests are over. */
  close(): void
}

/** Idle time of connections, as for the rest of the server. */
const IDLE_MS = 60_000
const HTTP2_SETTINGS = { maxConcurrentStreams: 128, maxHeaderListSize: 16_384, enablePush: false }

/** TLS options: HTTP/2 for tunnel hosts only. */
export function chooseProtocol({ isTunnelHost }: Pick<TunnelTraffic, 'isTunnelHost'>) {
  return {
    // Clients that connect to an address send no name.
    ALPNCallback: ({
      servername,
      protocols,
    }: {
      servername: string | false
      protocols: string[]
    }): string | undefined => {
      if (servername !== false && isTunnelHost(servername) && protocols.includes('h2')) return 'h2'
      return protocols.includes('http/1.1') ? 'http/1.1' : undefined
    },
  }
}

/**
 * Whether a request for an upgrade is handled as one. A client may offer an upgrade beside a request that it means as it
 * stands (`h2c` with a POST); as an upgrade its body would be lost. So only requests without a body upgrade at tunnels.
 */
export function mayUpgrade(request: IncomingMessage, { isTunnelHost }: Pick<TunnelTraffic, 'isTunnelHost'>): boolean {
  const { headers } = request
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return !hasBody || !hostsOf(request).some(isTunnelHost)
}

/** The host of a target in absolute form, which counts instead of the header (RFC 9112 section 3.2.2). */
const ABSOLUTE = /^https?:\/\/(?:[^/?#]*@)?([^/?#]+)/i

/** All hosts that a request names. Whatever names a tunnel is a request for it, and is refused there if it names others. */
const hostsOf = ({ headers, url = '' }: Request): string[] => [
  String(headers[':authority'] ?? ''),
  headers.host ?? '',
  String(headers['x-forwarded-host'] ?? ''),
  ABSOLUTE.exec(url)?.[1] ?? '',
]

/** Takes the requests for tunnel hosts from a server's listeners. Call it before the server listens. */
export function divertTunnels(server: Server, traffic: TunnelTraffic): Diverted {
  const { isTunnelHost, isTrustedProxy } = traffic
  const busy = new WeakMap<Socket, number>()
  const sessions = new Set<ServerHttp2Session>()
  const pipelining = limitPipelining()

  function serve(request: Request, response: Response, expectsContinue: boolean): void {
    const { socket } = request
    if (request.httpVersionMajor < 2) {
      if (!pipelining.begin(socket)) return
      busy.set(socket, (busy.get(socket) ?? 0) + 1)
      socket.setTimeout(0)
      response.once('close', () => {
        pipelining.end(socket)
        busy.set(socket, (busy.get(socket) ?? 1) - 1)
        socket.setTimeout(IDLE_MS)
      })
    }
    const remote = remoteAddress(request, isTrustedProxy)
    const origin = { remote, host: askedHost(request, isTrustedProxy), secure: isSecure(request, isTrustedProxy) }
    traffic.serve(request, response, origin, expectsContinue)
  }

  const own = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (hostsOf(request).some(isTunnelHost)) return serve(request, response, false)
    for (const listener of own) Reflect.apply(listener, server, [request, response])
  })
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (hostsOf(request).some(isTunnelHost)) return serve(request, response, true)
    response.writeContinue()
    server.emit('request', request, response)
  })

  const http2 = createHttp2Server({ settings: HTTP2_SETTINGS, maxHeaderListPairs: 256 })
  http2.on('session', (session) => {
    sessions.add(session)
    // Closes after the streams under way.
    session.setTimeout(IDLE_MS, () => session.close())
    session.once('close', () => sessions.delete(session))
  })
  const serveHttp2 = (request: Http2ServerRequest, response: Http2ServerResponse, expectsContinue: boolean): void => {
    if (!hostsOf(request).some(isTunnelHost)) {
      // A connection for a tunnel host is no way to the API.
      response.writeHead(421)
      return void response.end()
    }
    serve(request, response, expectsContinue)
  }
  http2.on('request', (request, response) => serveHttp2(request, response, false))
  http2.on('checkContinue', (request, response) => serveHttp2(request, response, true))
  http2.on('sessionError', () => undefined)
  const secured = server.listeners('secureConnection')
  if (secured.length > 0) {
    server.removeAllListeners('secureConnection')
    server.on('secureConnection', (socket: TLSSocket) => {
      if (socket.alpnProtocol === 'h2') http2.emit('connection', socket)
      else for (const listener of secured) Reflect.apply(listener, server, [socket])
    })
  }

  return {
    isBusy: (socket) => (busy.get(socket) ?? 0) > 0,
    close() {
      for (const session of sessions) session.close()
    },
  }
}
