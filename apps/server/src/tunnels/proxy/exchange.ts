// One request of a visitor and the answer to it, over HTTP/1.1 or HTTP/2: what both ways to a service share.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { type Http2ServerRequest, type Http2ServerResponse, constants } from 'node:http2'
import type { Readable, Writable } from 'node:stream'
import { type Headers, type Origin, responseHeaders, trailersOf } from './headers/headers.ts'
import type { Target } from './headers/locations.ts'
import { type FailureCode, type Page, failurePage } from './pages.ts'
import { TunnelError, type TunnelFailure } from './link-socket.ts'
import { pump } from './pump.ts'

export type ClientRequest = IncomingMessage | Http2ServerRequest
export type ClientResponse = ServerResponse | Http2ServerResponse

/** A visitor's request as the proxy handles it. */
export interface Exchange {
  readonly request: ClientRequest
  readonly response: ClientResponse
  readonly origin: Origin
  readonly target: Target
  /** The client waits for `100 Continue` before it sends its body. */
  readonly expectsContinue: boolean
  /** Called for each chunk, in bytes. */
  readonly sent: (bytes: number) => void
  readonly received: (bytes: number) => void
  /** The service has begun its answer. */
  readonly answered: () => void
}

/** Way to a service: sends the request and passes the answer on. @returns ends it */
export type Carrier = (exchange: Exchange) => { readonly abort: (error?: Error) => void }

/** Writes an answer of this server. Does nothing once an answer has begun. */
export function answerPage(response: ClientResponse, page: Page): void {
  if (response.headersSent || response.destroyed) return
  const { req: request } = response
  writeHead(response, page.status, page.headers)
  response.end(request.method === 'HEAD' ? '' : page.body)
}

export interface AnswerHead {
  readonly status: number
  readonly rawHeaders: readonly string[]
  readonly connection?: string | undefined
  /** Nothing follows the head. */
  readonly isWhole?: boolean
}

/** Begins the visitor's answer and passes body and trailers on. */
export function passAnswer(
  exchange: Exchange,
  answer: Readable & { readonly rawTrailers?: readonly string[] },
  head: AnswerHead,
  trailers: () => readonly string[],
): void {
  const { response, answered, received, origin, target } = exchange
  if (head.status < MIN_STATUS || head.status > MAX_STATUS) {
    answer.resume()
    return failExchange(exchange, 'LOST')
  }
  answered()
  const headers = responseHeaders(head.rawHeaders, head.connection, { origin, target })
  if (head.isWhole === true && 'stream' in response) return passHead(response, answer, head.status, headers)
  writeHead(response, head.status, headers)
  answer.on('data', (chunk: Buffer) => received(chunk.length))
  // Registered before those of `pump`, which ends the response at the same event.
  answer.on('end', () => {
    const fields = trailersOf(trailers())
    if (Object.keys(fields).length === 0) return
    if ('stream' in response) sendTrailers(response, fields)
    else response.addTrailers(fields)
  })
  pump(answer, response as Writable)
}

/** Node's own listener would throw what HTTP/2 refuses out of reach of everybody, and end the process. */
function sendTrailers({ stream }: Http2ServerResponse, fields: Headers): void {
  stream.removeAllListeners('wantTrailers')
  stream.once('wantTrailers', () => {
    try {
      stream.sendTrailers(fields)
    } catch {
      stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    }
  })
}

/** A head that ends its stream: clients of gRPC find the status of a failed call only there. */
function passHead(response: Http2ServerResponse, answer: Readable, status: number, headers: Headers): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.end()
  answer.resume()
}

const NOTHING = Buffer.alloc(0)
/** Statuses of final answers (RFC 9110 section 15). HTTP/2 refuses to send others. */
const MIN_STATUS = 200
const MAX_STATUS = 599
/** Interim answers of one service to one request; more are an attack on the visitor's connection. */
const MAX_INTERIM = 32

/**
 * Passes a service's `100 Continue` on, once, to a client that waits for it; other interim answers end here.
 * @returns to be called with the status of each interim answer
 */
export function interimAnswers(
  { expectsContinue, response }: Pick<Exchange, 'expectsContinue' | 'response'>,
  tooMany: () => void,
): (status: number) => void {
  let count = 0
  let waits = expectsContinue
  return (status) => {
    count += 1
    if (count > MAX_INTERIM) return tooMany()
    if (status !== 100 || !waits || response.headersSent) return
    waits = false
    response.writeContinue()
  }
}

/**
 * Runs a callback of the service's side: what it makes Node refuse ends this exchange and nothing else.
 * @returns false when it threw
 */
export function guarded(exchange: Pick<Exchange, 'request' | 'response'>, run: () => void): boolean {
  try {
    run()
    return true
  } catch (error) {
    failExchange(exchange, failureOf(error as Error))
    return false
  }
}

function writeHead(response: ClientResponse, status: number, headers: OutgoingHttpHeaders): void {
  if ('stream' in response) return void response.writeHead(status, headers)
  response.writeHead(status, keepsNoConnection(response.req) ? { ...headers, connection: 'close' } : headers)
  // Events and the like must not wait for the first byte of the body, but a head and a body that are there travel
  // together. `flushHeaders` would encode the head as UTF-8, which changes the bytes of a value that is not ASCII.
  response.cork()
  response.write(NOTHING)
  setImmediate(() => response.uncork())
}

/** True for a client that waits for `100 Continue`: it may still send its body or not, and nobody can know. */
function keepsNoConnection(request: IncomingMessage): boolean {
  return request.headers.expect !== undefined && !request.complete
}

/**
 * Drops what is left of a request that the service has answered before it had read everything. A client that is still
 * sending could not read the answer if its connection were closed, or if nobody took its bytes.
 */
export function dropRest({ request, response }: Pick<Exchange, 'request' | 'response'>): void {
  if (request.readableEnded) return
  request.unpipe()
  request.resume()
  if (!('stream' in response)) return
  const { stream } = response
  // Asks the client to stop (RFC 9113 section 8.1).
  const stop = (): void => void (stream.destroyed || stream.close(constants.NGHTTP2_NO_ERROR))
  if (stream.writableFinished) stop()
  else stream.once('finish', stop)
}

/** Ends an answer that cannot be completed, so that the visitor can tell. */
export function breakOff(response: ClientResponse): void {
  if ('stream' in response) {
    if (!response.stream.destroyed) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  } else (response.socket ?? response).destroy()
}

/** Answers a failure, or breaks the answer off if it has begun. */
export function failExchange({ request, response }: Pick<Exchange, 'request' | 'response'>, code: FailureCode): void {
  if (response.headersSent) breakOff(response)
  else answerPage(response, failurePage(code, request.headers.accept))
}

const FAILURE_CODES: Readonly<Record<TunnelFailure, FailureCode>> = {
  timeout: 'TIMEOUT',
  refused: 'REFUSED',
  lost: 'LOST',
  gone: 'GONE',
}

/** Errors of Node about headers that cannot be sent on. */
const BAD_REQUESTS: ReadonlySet<string> = new Set([
  'ERR_INVALID_CHAR',
  'ERR_UNESCAPED_CHARACTERS',
  'ERR_HTTP2_HEADER_SINGLE_VALUE',
  'ERR_HTTP2_INVALID_CONNECTION_HEADERS',
  'ERR_HTTP2_INVALID_HEADER_VALUE',
  'ERR_INVALID_HTTP_TOKEN',
])

/** Reason why a connection to a service has failed. */
export function failureOf(error: Error & { code?: string }): FailureCode {
  if (error instanceof TunnelError) return FAILURE_CODES[error.failure]
  const code = error.code ?? ''
  if (/^(?:CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|ERR_TLS_CERT)/.test(code) || /SELF_SIGNED/.test(code))
    return 'CERTIFICATE'
  return BAD_REQUESTS.has(code) ? 'BAD_REQUEST' : 'LOST'
}

/** True if the request has a body, or may have one. */
export function hasBody(request: ClientRequest): boolean {
  if ('stream' in request) return !request.stream.endAfterHeaders
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
}
