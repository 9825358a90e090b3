// Serves `/metrics` to callers with the node secret and to configured sources.
import type { IncomingHttpHeaders } from 'node:http'
import { BowlineError } from '@bowline/contract/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { plainAddress } from '../platform/network/address.ts'
import type { Metrics } from '../platform/metrics.ts'
import { isForwarded } from './forwarded.ts'

export interface MetricsReaders {
  isInternal(headers: IncomingHttpHeaders): boolean
  /** True if a source may read them without the secret. */
  mayRead(address: string): boolean
}

export function serveMetrics(server: FastifyInstance, metrics: Metrics, readers: MetricsReaders): void {
  server.get('/metrics', async (request, reply) => {
    if (!readers.isInternal(request.headers) && !isNamedSource(request, readers)) {
      throw new BowlineError('ROUTE_NOT_FOUND', { method: 'GET', path: '/metrics' })
    }
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
}

/** An untrusted proxy's own address does not count: it forwards for unknown clients. */
function isNamedSource({ ip, socket, headers }: FastifyRequest, readers: MetricsReaders): boolean {
  const isUnknownProxy = isForwarded(headers) && plainAddress(ip) === plainAddress(socket.remoteAddress ?? '')
  return !isUnknownProxy && readers.mayRead(ip)
}
