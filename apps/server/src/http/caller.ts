// Host and Origin checks that run first for every request.
import { fail } from '@bowline/contract/errors'
import type { FastifyRequest } from 'fastify'
import { hostCount } from '../platform/network/known-hosts.ts'
import { isOwnOrigin } from '../platform/network/own-origin.ts'

/** Methods without side effects; pages of other sites cannot read the answers. */
const READING: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/**
 * @throws {BowlineError} INVALID_INPUT for more than one Host header (RFC 9112 section 3.2); HOST_REFUSED for a foreign
 *   host name; ORIGIN_REFUSED for a write from another site's page
 */
export function requireOwnHostAndOrigin(request: FastifyRequest, isKnownHost: (host: string) => boolean): void {
  const { raw, host, headers, method } = request
  if (hostCount(raw.rawHeaders) > 1) fail('INVALID_INPUT', { field: 'Host', rule: 'must be sent once' }, ['Host'])
  if (!isKnownHost(host)) fail('HOST_REFUSED')
  const isCall = request.routeOptions.config.operation !== undefined
  if (isCall && !READING.includes(method) && !isOwnOrigin(headers, host)) fail('ORIGIN_REFUSED')
}
