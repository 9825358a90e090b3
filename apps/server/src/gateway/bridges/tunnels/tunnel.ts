// A tunnel of an existing agent: what the gateway asks of it, whatever its transport.
import type { Duplex } from 'node:stream'
import type { Clock } from '@bowline/base/clock'
import type { LinkCause } from '@bowline/link/api'

export interface Tunnel {
  /** Opens a byte stream to the agent's SSH server. @throws {Error} */
  openSsh(): Promise<Duplex>
  /** Opens a TCP connection of the device. @throws {Error} with the reason */
  openTcp(host: string, port: number): Promise<Duplex>
  /** True if open streams live on when the tunnel has ended: each is a connection of its own. */
  readonly leavesStreams: boolean
  /** Ends the tunnel. */
  close(cause: LinkCause): void
}

/** How long an agent may take to open a stream, in milliseconds. */
export const OPEN_MS = 20_000
/** Both ends of a tunnel send a sign of life in this interval, in milliseconds. */
const INTERVAL_MS = 30_000
/** Silence after which a tunnel is dead: one missed sign and some patience. */
const DEAD_MS = INTERVAL_MS + 5_000

export const SILENT: LinkCause = { by: 'network', reason: 'keepalive', message: 'The agent stopped answering.' }

/** Watches a tunnel for signs of life, and gives ours. */
export interface Liveness {
  /** The agent has given one. */
  heard(): void
  stop(): void
}

/**
 * @param send gives our sign of life, at once and then in the interval
 * @param dead called once, when the agent has been silent for too long
 */
export function watchLife(clock: Clock, send: () => void, dead: () => void): Liveness {
  let heardAt = clock.monotonic()
  let cancel = clock.after(DEAD_MS, check)
  const stopSending = clock.every(INTERVAL_MS, send)
  function check(): void {
    const leftMs = heardAt + DEAD_MS - clock.monotonic()
    if (leftMs <= 0) return dead()
    cancel = clock.after(leftMs, check)
  }
  send()
  return {
    heard() {
      heardAt = clock.monotonic()
    },
    stop() {
      cancel()
      stopSending()
    },
  }
}

/** Ends a stream that is not open in time. @returns cancel */
export function limitOpening(clock: Clock, stream: Duplex): () => void {
  return clock.after(OPEN_MS, () => stream.destroy(new Error('the agent did not answer in time')))
}
