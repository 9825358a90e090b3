// Whether a page of this very server asks. Programs that are no browsers send no Origin and have no page's credentials.
import type { IncomingMessage } from 'node:http'

export function isOwnOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  if (headers.origin === undefined) return true
  const origin = URL.parse(headers.origin)
  // Compared in normal form: without the scheme's own port, in lower case.
  const own = origin && URL.parse(`${origin.protocol}//${headers.host ?? ''}`)
  return own !== null && own.host !== '' && own.host === origin?.host
}
