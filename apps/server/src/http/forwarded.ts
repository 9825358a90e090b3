// Detects proxied requests by their headers.
import type { IncomingHttpHeaders } from 'node:http'

/** Headers that proxies add; any of them is enough. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/**
 * A proxy on this machine gives every client a local address, so a forwarded request never counts as local. The headers
 * are trusted for nothing else: a caller who adds them only loses rights.
 */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return PROXY_HEADERS.some((name) => headers[name] !== undefined)
}
