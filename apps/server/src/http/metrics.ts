// `/metrics` for whoever knows the node secret, and for the sources that the operator names.
import type { IncomingHttpHeaders } from 'node:http'
import { BowlineError } from '@bowline/contract/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { plainAddress } from '../platform/network/address.ts'
import type { Metrics } from '../platform/metrics.ts'
import { isForwarded } from './forwarded.ts'

export interface MetricsReaders {
  isInternal(headers: IncomingHttpHeaders): boolean
  /** Whether a source may read them without the secret. */
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

/** A proxy that is not trusted has its own address, not that of whom it speaks for: it is no source that was named. */
function isNamedSource({ ip, socket, headers }: FastifyRequest, readers: MetricsReaders): boolean {
  const isUnknownProxy = isForwarded(headers) && plainAddress(ip) === plainAddress(socket.remoteAddress ?? '')
  return !isUnknownProxy && readers.mayRead(ip)
}
