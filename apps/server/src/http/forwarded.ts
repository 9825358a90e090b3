// Tells from its headers whether a request came through a proxy.
import type { IncomingHttpHeaders } from 'node:http'

/** What proxies add; any of them is enough. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/**
 * A proxy on this machine makes everybody look like this machine, so a forwarded request never counts as local. The
 * headers are not believed for anything else: a caller can add them and lose by it, not win.
 */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return PROXY_HEADERS.some((name) => headers[name] !== undefined)
}
