// Recognises requests from the server's own pages and from programs. Programs other than browsers send neither header.
import type { IncomingHttpHeaders } from 'node:http'

/** @param host requested host name: the Host header, or the one that a trusted proxy forwards */
export function isOwnOrigin(headers: IncomingHttpHeaders, host: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  if (headers.origin === undefined) return true
  const origin = URL.parse(headers.origin)
  // Compared in normal form: lower case, without the scheme's default port.
  const own = origin && URL.parse(`${origin.protocol}//${host}`)
  return own !== null && own.host !== '' && own.host === origin?.host
}
