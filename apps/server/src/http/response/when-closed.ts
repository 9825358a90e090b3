import type { ServerResponse } from 'node:http'

/**
 * Calls `act` when the response is over, however it ends. The client may have left while the answer was prepared: then
 * its `close` has been emitted before anybody listens, and what it should free would stay open.
 */
export function whenClosed(raw: ServerResponse, act: () => void): void {
  if (raw.destroyed || raw.closed) act()
  else raw.once('close', act)
}
