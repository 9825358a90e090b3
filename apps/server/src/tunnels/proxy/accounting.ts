// Bytes of one request of a tunnel, and its entry in the tunnel's log.
import type { TunnelRequest } from '@bowline/contract/schemas/tunnel'
import type { Clock } from '@bowline/base/clock'
import type { OpenRequest } from './open-requests.ts'

export interface Accounting {
  /** Counts bytes of the visitor. */
  readonly sent: (bytes: number) => void
  /** Counts bytes of the service. */
  readonly received: (bytes: number) => void
  /** The log's entry. @param status 0: it ended without an answer */
  readonly entry: (status: number) => Omit<TunnelRequest, 'id'>
}

/** Begins to count a request, whose bytes keep `open` active. */
export function startAccounting(
  clock: Clock,
  open: OpenRequest,
  request: { readonly method: string; readonly path: string; readonly source: string },
): Accounting {
  const started = { at: clock.now(), monotonic: clock.monotonic() }
  let bytesIn = 0
  let bytesOut = 0
  return {
    sent: (bytes) => {
      bytesIn += bytes
      open.activeAt = clock.monotonic()
    },
    received: (bytes) => {
      bytesOut += bytes
      open.activeAt = clock.monotonic()
    },
    entry: (status) => ({
      ...request,
      status,
      bytes_in: bytesIn,
      bytes_out: bytesOut,
      milliseconds: Math.round(clock.monotonic() - started.monotonic),
      started_at: new Date(started.at).toISOString(),
    }),
  }
}
