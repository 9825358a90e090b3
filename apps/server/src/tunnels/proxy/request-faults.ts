// Requests that are refused before anything is looked up: what two HTTP parsers could read differently.
import { hostCount } from '../../platform/network/known-hosts.ts'
import type { ClientRequest } from './exchange.ts'
import type { Origin } from './headers/headers.ts'
import type { FailureCode } from './pages.ts'

const MAX_URL = 8_192
const MAX_PORT = 65_535

/** Why a request must not reach a service; undefined if it may. */
export function requestFault(request: ClientRequest, { host }: Origin): FailureCode | undefined {
  const { url = '', headers, rawHeaders, method } = request
  if (url.length > MAX_URL) return 'TOO_LONG'
  // A client never sends what it names for itself (RFC 9112 section 3.2.1).
  if (url.includes('#')) return 'BAD_REQUEST'
  if (Number(/:(\d+)$/.exec(host)?.[1] ?? 0) > MAX_PORT) return 'BAD_REQUEST'
  // An absolute address would name a second host.
  if (!url.startsWith('/') && !(url === '*' && method === 'OPTIONS')) return 'BAD_REQUEST'
  const encoding = headers['transfer-encoding']
  if (encoding !== undefined && (encoding.toLowerCase() !== 'chunked' || headers['content-length'] !== undefined)) {
    return 'BAD_REQUEST'
  }
  if ('stream' in request) {
    const named = headers.host
    const asked = headers[':authority']
    return named !== undefined && asked !== undefined && named !== asked ? 'BAD_REQUEST' : undefined
  }
  return hostCount(rawHeaders) === 1 && host !== '' ? undefined : 'BAD_REQUEST'
}
