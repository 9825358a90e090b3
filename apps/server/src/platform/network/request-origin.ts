// Origin of a request below the framework: the client's address and the requested host, through trusted proxies.
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { plainAddress } from './address.ts'

type Request = Pick<IncomingMessage | Http2ServerRequest, 'headers' | 'socket'>

/** The client's address: of the connection, or as forwarded by a trusted proxy. */
export function remoteAddress(request: Request, isTrustedProxy: (address: string) => boolean): string {
  let address = plainAddress(request.socket.remoteAddress ?? '')
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => plainAddress(part.trim()))
    .filter((part) => part !== '')
  // From the nearest hop outwards, as long as each hop is trusted.
  while (forwarded.length && isTrustedProxy(address)) address = forwarded.pop() ?? address
  return address
}

/** Requested host: of the request, or as forwarded by a trusted proxy. */
export function askedHost({ headers, socket }: Request, isTrustedProxy: (address: string) => boolean): string {
  const forwarded = isTrustedProxy(plainAddress(socket.remoteAddress ?? '')) ? headers['x-forwarded-host'] : undefined
  return lastOf(forwarded) || String(headers[':authority'] ?? headers.host ?? '')
}

/** True if the client has used https, as far as this server or a trusted proxy knows. */
export function isSecure({ headers, socket }: Request, isTrustedProxy: (address: string) => boolean): boolean {
  if ('encrypted' in socket && socket.encrypted) return true
  return isTrustedProxy(plainAddress(socket.remoteAddress ?? '')) && lastOf(headers['x-forwarded-proto']) === 'https'
}

function lastOf(header: string | string[] | undefined): string | undefined {
  return String(header ?? '')
    .split(',')
    .at(-1)
    ?.trim()
}
