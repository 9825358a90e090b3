// Checks made of every request before anything else: the name it asks for, and the page that sent it.
import { fail } from '@bowline/contract/errors'
import type { FastifyRequest } from 'fastify'
import { hostCount } from '../platform/network/known-hosts.ts'
import { isOwnOrigin } from '../platform/network/own-origin.ts'

/** Methods that change nothing; other sites' pages may not read their answers. */
const READING: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/**
 * @throws {BowlineError} INVALID_INPUT for more than one Host header (RFC 9112 section 3.2); HOST_REFUSED for a name that
 *   is not the server's; ORIGIN_REFUSED for a change that another site's page asks for
 */
export function requireOwnHostAndOrigin(request: FastifyRequest, isKnownHost: (host: string) => boolean): void {
  const { raw, host, headers, method } = request
  if (hostCount(raw.rawHeaders) > 1) fail('INVALID_INPUT', { field: 'Host', rule: 'must be sent once' }, ['Host'])
  if (!isKnownHost(host)) fail('HOST_REFUSED')
  const isCall = request.routeOptions.config.operation !== undefined
  if (isCall && !READING.includes(method) && !isOwnOrigin(headers, host)) fail('ORIGIN_REFUSED')
}
