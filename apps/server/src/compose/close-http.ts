// The end of the HTTP server.
import type { FastifyInstance } from 'fastify'

/** Closes the HTTP server once its requests have ended. */
export function closeHttp(http: FastifyInstance): Promise<void> {
  // A keep-alive connection that was busy when closing began would otherwise keep the server open.
  const nudge = setInterval(() => http.server.closeIdleConnections(), 50)
  return http.close().finally(() => clearInterval(nudge))
}
