// The limits of the HTTP server's connections, and its end.
import type { FastifyInstance } from 'fastify'
import type { ServerConfig } from '../config.ts'
import type { ConnectionLimits } from '../http/limits/connections.ts'

/**
 * Closes the HTTP server's port, and the server once its requests have ended.
 * @param stopping aborted when that begins: streams of events would go on for ever
 */
export function closingOf(http: FastifyInstance, stopping: AbortController) {
  let ended: Promise<void> = Promise.resolve()
  return {
    begin(this: void): void {
      if (stopping.signal.aborted) return
      stopping.abort()
      // A keep-alive connection that was busy when closing began would otherwise keep the server open.
      const nudge = setInterval(() => http.server.closeIdleConnections(), 50)
      ended = http.close().finally(() => clearInterval(nudge))
    },
    /** Resolves when everything has ended; at once if it has not begun. */
    ended: (): Promise<void> => ended,
  }
}

export function connectionLimits({ settings, isTrustedProxy, isExemptSource }: ServerConfig): ConnectionLimits {
  return {
    perSource: settings.BOWLINE_MAX_HTTP_CONNECTIONS_PER_SOURCE,
    total: settings.BOWLINE_MAX_HTTP_CONNECTIONS,
    isExempt: (address) => isTrustedProxy(address) || isExemptSource(address),
  }
}
