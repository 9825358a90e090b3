// Headers on their way through a tunnel: connection-specific ones are dropped in both directions (RFC 9110 section
// 7.6.1), and the client's claims about itself are replaced by what this server knows.
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { hidesFromDevice, ownCookie } from './cookies.ts'
import { type Target, visitorLocation } from './locations.ts'

export type Headers = Record<string, string | string[]>

const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
])
/** Claims of the client about its address and about the host that it has asked for. */
const CLAIMS = /^(?:forwarded|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|via)$/
/**
 * Headers that have one value. HTTP/2 refuses to send several, and HTTP/1.1 clients take the first (RFC 9110 section
 * 5.3: only lists may be repeated).
 */
const SINGLE = new Set([
  'access-control-allow-credentials',
  'access-control-max-age',
  'access-control-request-method',
  'age',
  'authorization',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-md5',
  'content-range',
  'content-type',
  'date',
  'dnt',
  'etag',
  'expires',
  'from',
  'host',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'range',
  'referer',
  'retry-after',
  'tk',
  'upgrade-insecure-requests',
  'user-agent',
  'x-content-type-options',
])
/** Headers of a device that would act beyond its own tunnel, or move clients away from it. */
const OVERREACHING = new Set(['alt-svc', 'clear-site-data', 'public-key-pins'])

/** Facts about a request that this server adds. */
export interface Origin {
  /** Client address, resolved through trusted proxies. */
  readonly remote: string
  /** Requested host, with its port. */
  readonly host: string
  readonly secure: boolean
}

/** Headers for the service. @param hostHeader replaces the client's host; '' keeps it */
export function requestHeaders(
  request: IncomingMessage | Http2ServerRequest,
  origin: Origin,
  hostHeader: string,
): Headers {
  const dropped = connectionOptions(request.headers.connection)
  const headers = collect(
    request.rawHeaders,
    (name) => !HOP_BY_HOP.has(name) && !isClaim(name) && !dropped.has(name) && name !== 'host' && name !== 'cookie',
  )
  // RFC 9113 lets clients split the header; services expect one.
  const cookie = hidesFromDevice(request.headers.cookie ?? '')
  return {
    host: hostHeader || origin.host,
    ...headers,
    ...(cookie ? { cookie } : {}),
    ...(/(?:^|,)\s*trailers\s*(?:,|$)/i.test(String(request.headers.te ?? '')) ? { te: 'trailers' } : {}),
    'x-forwarded-for': origin.remote,
    'x-forwarded-host': origin.host,
    'x-forwarded-proto': origin.secure ? 'https' : 'http',
  }
}

/** Headers for the client. @param rawHeaders names and values alternating */
export function responseHeaders(
  rawHeaders: readonly string[],
  connection: string | undefined,
  { origin, target }: { readonly origin: Origin; readonly target: Target },
): Headers {
  const dropped = connectionOptions(connection)
  const headers = collect(rawHeaders, (name) => !HOP_BY_HOP.has(name) && !dropped.has(name) && !OVERREACHING.has(name))
  const { location } = headers
  if (typeof location === 'string') headers['location'] = visitorLocation(location, origin, target)
  const cookies = headers['set-cookie']
  if (cookies === undefined) return headers
  const own = [cookies].flat().flatMap((cookie) => ownCookie(cookie) ?? [])
  return { ...headers, 'set-cookie': own }
}

/** Trailers, without those that would frame or route a message. */
export function trailersOf(rawTrailers: readonly string[]): Headers {
  return collect(
    rawTrailers,
    (name) =>
      !HOP_BY_HOP.has(name) && !isClaim(name) && !/^(?:host|content-length|trailer|set-cookie|cookie)$/.test(name),
  )
}

/** Services behind CGI and WSGI cannot tell `_` from `-`. */
function isClaim(name: string): boolean {
  return CLAIMS.test(name.replaceAll('_', '-'))
}

/** Names in a Connection header. */
function connectionOptions(connection: string | undefined): ReadonlySet<string> {
  return new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
}

/** Pseudo headers of HTTP/2 are no headers of the message. */
function collect(raw: readonly string[], keep: (name: string) => boolean): Headers {
  const headers: Headers = Object.create(null) as Headers
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase()
    const value = raw[at + 1] ?? ''
    if (name.startsWith(':') || !keep(name)) continue
    const before = headers[name]
    if (before !== undefined && SINGLE.has(name)) continue
    headers[name] = before === undefined ? value : [before, value].flat()
  }
  return headers
}
