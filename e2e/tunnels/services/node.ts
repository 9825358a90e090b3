// The same handlers in Node's servers of HTTP/1.1 and HTTP/2 (without TLS, by prior knowledge).
import { createHash } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { type Http2ServerRequest, type Http2ServerResponse, createServer as createHttp2Server } from 'node:http2'
import type { Writable } from 'node:stream'
import { type Service, serve } from './service.ts'

type Request = IncomingMessage | Http2ServerRequest
/** What both kinds of answers have. */
type Response = Http2ServerResponse & Writable

/** Requests that hang, by path with query. */
export const arrived = new Set<string>()
/** Requests that the service has seen end before it had answered, by path with query. */
export const cancelled = new Set<string>()
/** Bytes of the endless answers so far, by path with query. */
export const sentEndlessly = new Map<string, number>()
/** Ends of the event streams, by query: a test sends events through these. */
export const listeners = new Map<string, Writable>()

/** Headers by which a proxy names the client and the host. */
const OF_PROXIES = /^(?:x-forwarded-|host$|connection$|:|transfer-encoding$|accept-encoding$)/

const handlers: Readonly<Record<string, (request: Request, response: Response) => void>> = {
  /** Everything that it was asked, and the body by hash. */
  '/mirror'(request, response) {
    const hash = createHash('sha256')
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      hash.update(chunk)
      bytes += chunk.length
    })
    request.on('end', () => {
      const headers = Object.entries(request.headers).filter(([name]) => !OF_PROXIES.test(name))
      const { method, url, trailers } = request
      response.setHeader('content-type', 'application/json')
      const sorted = Object.fromEntries(headers.toSorted(([one], [other]) => (one < other ? -1 : 1)))
      response.end(JSON.stringify({ method, url, headers: sorted, trailers, bytes, sha256: hash.digest('hex') }))
    })
  },
  '/echo': (request, response) => void request.pipe(response),
  '/pieces'(request, response) {
    response.setHeader('trailer', 'x-sum')
    let count = 0
    request.on('data', (chunk: Buffer) => {
      count += chunk.length
      response.write(chunk)
    })
    request.on('end', () => {
      response.addTrailers({ 'x-sum': `${count} bytes, ${String(request.trailers['x-after'])}` })
      response.end()
    })
  },
  /** An answer that does not wait for the request's body. */
  '/early'(_, response) {
    response.writeHead(403, { 'content-type': 'text/plain' })
    response.end('not for you')
  },
  '/status'(request, response) {
    response.writeHead(Number(new URL(request.url ?? '', 'http://x').searchParams.get('code')), { etag: '"1"' })
    response.end()
  },
  '/length'(_, response) {
    response.setHeader('content-length', '7')
    response.end('letters')
  },
  '/fields'(_, response) {
    response.setHeader('set-cookie', ['a=1; Path=/', 'b=2; HttpOnly'])
    response.setHeader('x-twice', ['one', 'two'])
    response.setHeader('x-empty', '')
    response.setHeader('x-high', 'caf\u00e9')
    response.setHeader('link', ['</a.css>; rel=preload', '</b.js>; rel=preload'])
    response.end('fields')
  },
  '/wide'(_, response) {
    for (let at = 0; at < 60; at += 1) response.setHeader(`x-wide-${at}`, 'w'.repeat(200))
    response.end('wide')
  },
  '/hints'(_, response) {
    response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' })
    response.end('hinted')
  },
  '/events'(request, response) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(`retry: 100\nid: ${String(request.headers['last-event-id'] ?? 'none')}\ndata: begun\n\n`)
    listeners.set(request.url ?? '', response)
  },
  /** Never answers; remembers that the client has left. */
  '/hang'(request, response) {
    arrived.add(request.url ?? '')
    response.on('close', () => cancelled.add(request.url ?? ''))
  },
  /** Answers without an end; remembers that the client has left. */
  '/endless'(request, response) {
    const chunk = Buffer.alloc(65_536, 'endless ')
    const path = request.url ?? ''
    response.writeHead(200)
    response.on('close', () => cancelled.add(request.url ?? ''))
    const fill = (): void => {
      do {
        sentEndlessly.set(path, (sentEndlessly.get(path) ?? 0) + chunk.length)
      } while (!response.destroyed && response.write(chunk))
      if (!response.destroyed) response.once('drain', fill)
    }
    fill()
  },
  /** Breaks off in the middle of its answer. */
  '/break'(request, response) {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('the beginning')
    request.resume()
    setImmediate(() => ('stream' in response ? response.stream.close(2) : (response as Writable).destroy()))
  },
}

function handle(request: Request, raw: ServerResponse | Http2ServerResponse): void {
  const response = raw as Response
  request.on('error', () => undefined)
  response.on('error', () => undefined)
  const { pathname } = new URL(request.url ?? '/', 'http://x')
  const handler = handlers[pathname] ?? handlers['/mirror']
  handler?.(request, response)
}

/** `/refuse` takes no body after `Expect: 100-continue`. */
function handleExpecting(request: Request, raw: ServerResponse | Http2ServerResponse): void {
  const response = raw as Response
  if (request.url === '/refuse') {
    response.writeHead(417)
    return void response.end('too much')
  }
  response.writeContinue()
  handle(request, response)
}

export async function startNodeHttp1(): Promise<Service> {
  const server = createServer({ requestTimeout: 0, maxHeaderSize: 65_536 }, handle)
  return serve(server.on('checkContinue', handleExpecting), 'HTTP/1.1')
}

export async function startNodeHttp2(): Promise<Service> {
  const server = createHttp2Server({ settings: { maxHeaderListSize: 65_536 } }, handle)
  return serve(server.on('checkContinue', handleExpecting), 'HTTP/2')
}
