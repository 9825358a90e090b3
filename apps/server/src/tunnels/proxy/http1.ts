// HTTP/1.1 to the service.
import { type ClientRequest as Outgoing, type IncomingMessage, request as startRequest } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  type Carrier,
  type Exchange,
  breakOff,
  dropRest,
  failExchange,
  failureOf,
  guarded,
  hasBody,
  interimAnswers,
  passAnswer,
} from './exchange.ts'
import { type Headers, requestHeaders, trailersOf } from './headers.ts'

/** Largest head of an answer, in bytes. */
const MAX_HEAD_BYTES = 65_536

/** The path has been checked; headers that Node refuses throw. */
export function startOutgoing(
  connect: () => Duplex,
  { method, url }: { readonly method?: string | undefined; readonly url?: string | undefined },
  headers: Headers,
): Outgoing {
  return startRequest({
    method: method ?? 'GET',
    path: url ?? '/',
    headers,
    setHost: false,
    maxHeaderSize: MAX_HEAD_BYTES,
    createConnection: connect,
  })
}

/** Carries requests over HTTP/1.1. */
export function http1Carrier(connect: () => Duplex): Carrier {
  return (exchange) => {
    const { request, origin, target } = exchange
    const headers = requestHeaders(request, origin, target.hostHeader)
    if (hasBody(request) && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked'
    if (exchange.expectsContinue) headers['expect'] = '100-continue'
    else delete headers['expect']
    const outgoing = startOutgoing(connect, request, { ...headers, connection: 'close' })
    let failed = false
    let answered = false
    const abort = (error?: Error): void => {
      failed = true
      outgoing.destroy(error)
    }
    const interim = interimAnswers(exchange, () =>
      outgoing.destroy(new Error('The service sends interim answers only.')),
    )
    outgoing.on('information', ({ statusCode }) => interim(statusCode))
    outgoing.on('upgrade', (_, socket) => {
      // Nobody has asked for it.
      socket.destroy()
      failExchange(exchange, 'LOST')
    })
    outgoing.on('response', (answer) => {
      answered = true
      if (!guarded(exchange, () => passResponse(exchange, answer))) abort()
    })
    outgoing.on('error', (error) => {
      // Of an answer that has begun only its own end tells whether it is whole.
      if (!failed && !answered) failExchange(exchange, failureOf(error))
    })
    sendBody(exchange, outgoing)
    outgoing.on('close', () => dropRest(exchange))
    return { abort }
  }
}

function passResponse(exchange: Exchange, answer: IncomingMessage): void {
  const head = {
    status: answer.statusCode ?? 502,
    rawHeaders: answer.rawHeaders,
    connection: answer.headers.connection,
  }
  passAnswer(exchange, answer, head, () => answer.rawTrailers)
  answer.on('error', () => undefined)
  answer.on('close', () => {
    if (!answer.complete) breakOff(exchange.response)
  })
}

function sendBody({ request, sent }: Exchange, outgoing: Outgoing): void {
  request.on('data', (chunk: Buffer) => sent(chunk.length))
  // Registered before `pipe`, which ends the outgoing request at the same event.
  request.on('end', () => {
    const trailers = trailersOf(request.rawTrailers)
    if (outgoing.getHeader('transfer-encoding') === 'chunked' && Object.keys(trailers).length > 0) {
      outgoing.addTrailers(
        Object.entries(trailers).flatMap(([name, value]) =>
          [value].flat().map((one) => [name, one] as [string, string]),
        ),
      )
    }
  })
  request.pipe(outgoing)
}
