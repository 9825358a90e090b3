// Recognises requests of the server's own pages, and of no page at all. Programs that are no browsers send neither
// header.
import type { IncomingHttpHeaders } from 'node:http'

/** @param host the name that the client asked for: the Host header, or what a trusted proxy tells of it */
export function isOwnOrigin(headers: IncomingHttpHeaders, host: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  if (headers.origin === undefined) return true
  const origin = URL.parse(headers.origin)
  // Compared in normal form: without the scheme's own port, in lower case.
  const own = origin && URL.parse(`${origin.protocol}//${host}`)
  return own !== null && own.host !== '' && own.host === origin?.host
}
