// `/metrics` for this machine and for the sources that the operator names.
import { BowlineError } from '@bowline/contract/errors'
import type { FastifyInstance } from 'fastify'
import { isLoopback } from '../platform/address.ts'
import type { Metrics } from '../platform/metrics.ts'
import { isForwarded } from './forwarded.ts'

/** @param mayRead whether an address beyond loopback may read them */
export function serveMetrics(server: FastifyInstance, metrics: Metrics, mayRead: (address: string) => boolean): void {
  server.get('/metrics', async (request, reply) => {
    const local = isLoopback(request.ip) && !isForwarded(request.headers)
    if (!local && !mayRead(request.ip)) {
      throw new BowlineError('ROUTE_NOT_FOUND', { method: 'GET', path: '/metrics' })
    }
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
}
