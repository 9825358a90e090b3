// HTTP/2 to the service, as gRPC needs it: by prior knowledge, or over TLS.
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, connect as startSession, constants } from 'node:http2'
import type { Duplex } from 'node:stream'
import { type Carrier, breakOff, dropRest, failExchange, failureOf, hasBody, passAnswer } from './exchange.ts'
import { requestHeaders, trailersOf } from './headers.ts'

/** Carries requests over HTTP/2. @param secure by TLS */
export function http2Carrier(connect: () => Duplex, secure: boolean): Carrier {
  return (exchange) => {
    const { request, response, origin, target } = exchange
    const { host, ...headers } = requestHeaders(request, origin, target.hostHeader)
    if (exchange.expectsContinue) headers['expect'] = '100-continue'
    else delete headers['expect']
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
      dropRest(exchange)
    })
    stream.on('continue', () => {
      if (!response.headersSent) response.writeContinue()
    })
    request.on('data', (chunk: Buffer) => exchange.sent(chunk.length))
    stream.on('wantTrailers', () => stream.sendTrailers(trailersOf(request.rawTrailers)))
    if (hasBody(request)) request.pipe(stream)
    else request.resume()
    stream.on('trailers', (fields, _, raw?: readonly string[]) => (trailers = raw ?? flat(fields)))
    stream.on('response', (fields, flags, raw?: readonly string[]) => {
      const status = Number(fields[constants.HTTP2_HEADER_STATUS] ?? 502)
      const isWhole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
      passAnswer(exchange, stream, { status, rawHeaders: raw ?? flat(fields), isWhole }, () => trailers)
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
