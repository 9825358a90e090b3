// HTTP/2 to the service, as gRPC needs it: by prior knowledge, or over TLS.
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, connect as startSession, constants } from 'node:http2'
import type { Duplex } from 'node:stream'
import { type Carrier, breakOff, failExchange, failureOf, hasBody, passAnswer } from './exchange.ts'
import { requestHeaders, trailersOf } from './headers.ts'

/** Carries requests over HTTP/2. @param hostHeader replaces the visitor's host; '' keeps it */
export function http2Carrier(connect: () => Duplex, hostHeader: string, secure: boolean): Carrier {
  return (exchange) => {
    const { request, response, origin } = exchange
    const { host, ...headers } = requestHeaders(request, origin, hostHeader)
    delete headers['expect']
    const scheme = secure ? 'https' : 'http'
    const session = startSession(`${scheme}://tunnel.invalid`, { createConnection: connect })
    const outgoing: OutgoingHttpHeaders = {
      ...headers,
      [constants.HTTP2_HEADER_METHOD]: request.method ?? 'GET',
      [constants.HTTP2_HEADER_PATH]: request.url ?? '/',
      [constants.HTTP2_HEADER_SCHEME]: scheme,
      [constants.HTTP2_HEADER_AUTHORITY]: String(host),
    }
    let failed = false
    let trailers: readonly string[] = []
    const fail = (error: Error): void => {
      if (failed || response.writableEnded) return
      failed = true
      failExchange(exchange, failureOf(error))
    }
    session.on('error', fail)
    const stream = session.request(outgoing, { endStream: !hasBody(request), waitForTrailers: hasBody(request) })
    stream.on('error', fail)
    stream.on('close', () => {
      session.close()
      if (!response.headersSent) fail(new Error('The stream ended without an answer.'))
      else if (!response.writableEnded) breakOff(response)
    })
    if (exchange.expectsContinue) response.writeContinue()
    request.on('data', (chunk: Buffer) => exchange.sent(chunk.length))
    stream.on('wantTrailers', () => stream.sendTrailers(trailersOf(request.rawTrailers)))
    if (hasBody(request)) request.pipe(stream)
    else request.resume()
    stream.on('trailers', (fields, _, raw?: readonly string[]) => (trailers = raw ?? flat(fields)))
    stream.on('response', (fields, _, raw?: readonly string[]) => {
      const status = Number(fields[constants.HTTP2_HEADER_STATUS] ?? 502)
      passAnswer(exchange, stream, { status, rawHeaders: raw ?? flat(fields) }, () => trailers)
    })
    return {
      abort(error) {
        failed = true
        stream.close(constants.NGHTTP2_CANCEL)
        session.destroy(error)
      },
    }
  }
}

function flat(fields: IncomingHttpHeaders): string[] {
  return Object.entries(fields).flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [name, one]))
}
