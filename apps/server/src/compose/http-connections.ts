// The limits of the HTTP server's connections, and its end.
import type { FastifyInstance } from 'fastify'
import type { ServerConfig } from '../config.ts'
import type { ConnectionLimits } from '../http/limits/connections.ts'

/** Closes the HTTP server once its requests have ended. */
export function closeHttp(http: FastifyInstance): Promise<void> {
  // A keep-alive connection that was busy when closing began would otherwise keep the server open.
  const nudge = setInterval(() => http.server.closeIdleConnections(), 50)
  return http.close().finally(() => clearInterval(nudge))
}

export function connectionLimits({ settings, isTrustedProxy, isExemptSource }: ServerConfig): ConnectionLimits {
  return {
    perSource: settings.BOWLINE_MAX_HTTP_CONNECTIONS_PER_SOURCE,
    total: settings.BOWLINE_MAX_HTTP_CONNECTIONS,
    isExempt: (address) => isTrustedProxy(address) || isExemptSource(address),
  }
}
