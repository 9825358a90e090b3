// What the parts of the double share.
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

/** What the double is told to do wrong. All of it can change while it runs. */
export interface Faults {
  /** Gives no sign of life, and answers none. */
  silent?: boolean
  /** Fetches, or answers, no streams. */
  refusesStreams?: boolean
  /** Dials no further tunnel when one is lost. */
  staysAway?: boolean
}

/** How a tunnel of the double reaches what it serves. */
export interface TunnelParts {
  readonly faults: Faults
  /** Opens a WebSocket at a path of the server. @param token sent as a bearer; absent: none */
  dial(path: string, token?: string): Promise<WebSocket>
  /** Counts a stream until it has closed. */
  opened(stream: Duplex): void
  /** Serves an SSH stream whose opening has been read. */
  serveSsh(stream: Duplex): void
  /** Connects to what the device is asked to connect to. */
  dialTarget(host: string, port: number): Promise<Duplex>
}
