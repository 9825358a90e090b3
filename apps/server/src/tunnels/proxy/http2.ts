// HTTP/2 to the service, as gRPC needs it: by prior knowledge, or over TLS.
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  connect as startSession,
  constants,
} from 'node:http2'
import type { Duplex } from 'node:stream'
import {
  type Carrier,
  breakOff,
  dropRest,
  failExchange,
  failureOf,
  guarded,
  hasBody,
  interimAnswers,
  passAnswer,
} from './exchange.ts'
import { requestHeaders, trailersOf } from './headers/headers.ts'

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
    const stream = startStream(session, outgoing, hasBody(request))
    if (stream instanceof Error) {
      // Nobody else would close the connection through the device.
      session.destroy()
      fail(stream)
      return { abort: () => undefined }
    }
    stream.on('error', fail)
    stream.on('close', () => {
      session.close()
      if (!response.headersSent) fail(new Error('The stream ended without an answer.'))
      else if (!response.writableEnded) breakOff(response)
      dropRest(exchange)
    })
    const interim = interimAnswers(exchange, () => stream.destroy(new Error('The service sends interim answers only.')))
    stream.on('continue', () => interim(100))
    stream.on('headers', (fields) => interim(Number(fields[constants.HTTP2_HEADER_STATUS])))
    request.on('data', (chunk: Buffer) => exchange.sent(chunk.length))
    stream.on('wantTrailers', () => {
      try {
        stream.sendTrailers(trailersOf(request.rawTrailers))
      } catch (error) {
        stream.destroy(error as Error)
      }
    })
    if (hasBody(request)) request.pipe(stream)
    else request.resume()
    stream.on('trailers', (fields, _, raw?: readonly string[]) => (trailers = raw ?? flat(fields)))
    stream.on('response', (fields, flags, raw?: readonly string[]) => {
      const status = Number(fields[constants.HTTP2_HEADER_STATUS] ?? 502)
      const isWhole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
      const head = { status, rawHeaders: raw ?? flat(fields), isWhole }
      if (!guarded(exchange, () => passAnswer(exchange, stream, head, () => trailers))) stream.destroy()
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

/** @returns what Node refuses to send, as its error */
function startStream(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  hasContent: boolean,
): ClientHttp2Stream | Error {
  try {
    return session.request(headers, { endStream: !hasContent, waitForTrailers: hasContent })
  } catch (error) {
    return error as Error
  }
}

function flat(fields: IncomingHttpHeaders): string[] {
  return Object.entries(fields).flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [name, one]))
}
