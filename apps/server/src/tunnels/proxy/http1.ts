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
import { type Headers, requestHeaders, trailersOf } from './headers/headers.ts'
import type { KeptOptions } from './kept-connections.ts'

/** Largest head of an answer, in bytes. */
const MAX_HEAD_BYTES = 65_536

/**
 * The path has been checked; headers that Node refuses throw.
 * @param way opens a connection for this request alone, or options with which it may use a kept one
 */
export function startOutgoing(
  way: (() => Duplex) | KeptOptions,
  { method, url }: { readonly method?: string | undefined; readonly url?: string | undefined },
  headers: Headers,
): Outgoing {
  return startRequest({
    method: method ?? 'GET',
    path: url ?? '/',
    headers,
    setHost: false,
    maxHeaderSize: MAX_HEAD_BYTES,
    ...(typeof way === 'function' ? { createConnection: way } : way),
  })
}

/**
 * Carries requests over HTTP/1.1.
 * @param kept options with which a request without a body that may be repeated uses a kept connection
 */
export function http1Carrier(connect: () => Duplex, kept: () => KeptOptions | undefined): Carrier {
  return (exchange) => {
    const { request, origin, target } = exchange
    const headers = requestHeaders(request, origin, target.hostHeader)
    if (hasBody(request) && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked'
    if (exchange.expectsContinue) headers['expect'] = '100-continue'
    else delete headers['expect']
    let failed = false
    let answered = false
    const send = (way: (() => Duplex) | KeptOptions): Outgoing => {
      const connection = typeof way === 'function' ? 'close' : 'keep-alive'
      const sent = startOutgoing(way, request, { ...headers, connection })
      const interim = interimAnswers(exchange, () => sent.destroy(new Error('The service sends interim answers only.')))
      sent.on('information', ({ statusCode }) => interim(statusCode))
      sent.on('upgrade', (_, socket) => {
        // Nobody has asked for it.
        socket.destroy()
        failExchange(exchange, 'LOST')
      })
      sent.on('response', (answer) => {
        answered = true
        if (!guarded(exchange, () => passResponse(exchange, answer))) abort()
      })
      sent.on('error', (error) => {
        // Of an answer that has begun only its own end tells whether it is whole.
        if (failed || answered) return
        // The service has closed the connection while it was idle: nothing has been answered.
        if (sent.reusedSocket && !exchange.response.destroyed) outgoing = send(connect)
        else failExchange(exchange, failureOf(error))
      })
      sent.on('close', () => {
        if (sent === outgoing) dropRest(exchange)
      })
      sendBody(exchange, sent)
      return sent
    }
    const abort = (error?: Error): void => {
      failed = true
      outgoing.destroy(error)
    }
    let outgoing = send((isRepeatable(exchange) ? kept() : undefined) ?? connect)
    return { abort }
  }
}

/** RFC 9110 section 9.2.2. Without a body, it is sent anew when a kept connection turns out to be closed. */
function isRepeatable({ request, expectsContinue }: Exchange): boolean {
  return /^(?:GET|HEAD|OPTIONS)$/.test(request.method ?? '') && !hasBody(request) && !expectsContinue
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
