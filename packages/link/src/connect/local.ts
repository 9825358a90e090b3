// A link whose two ends are in one process: for a device that the server itself speaks for. Streams, credit and limits
// are the same as over a socket.
import type { Clock } from '@bowline/base/clock'
import type { Link, LinkCause, LinkHandler, LinkOptions } from '../api.ts'
import { startLink } from '../session/link.ts'
import type { Transport, TransportEvents } from '../session/transport.ts'

export interface LocalLinkParts {
  /** Handlers of the two ends. */
  readonly gateway: LinkHandler
  readonly device: LinkHandler
  readonly clock: Clock
  readonly options?: Partial<LinkOptions>
  /** Called with what a handler's callback threw. */
  report(error: unknown, callback: string): void
}

const ENDED: LinkCause = { by: 'network', reason: 'disconnected', message: 'The connection was closed.' }

/** @returns both ends; when one closes, the other ends with its cause */
export function localLink({ gateway, device, ...shared }: LocalLinkParts): { gateway: Link; device: Link } {
  const [near, far] = [new LocalTransport(), new LocalTransport()]
  near.join(far)
  far.join(near)
  return {
    gateway: startLink({ ...shared, transport: near, side: 'gateway', handler: gateway }),
    device: startLink({ ...shared, transport: far, side: 'agent', handler: device }),
  }
}

/** Bytes arrive at the other end in a microtask, in order. The credit of the streams bounds what is under way. */
class LocalTransport implements Transport {
  readonly messageBytes = 64 * 1024
  #peer: LocalTransport | undefined
  #events: TransportEvents | undefined
  #early: Uint8Array[] = []
  #closed = false

  join(peer: LocalTransport): void {
    this.#peer = peer
  }

  listen(events: TransportEvents): void {
    this.#events = events
    for (const chunk of this.#early.splice(0)) this.receive(chunk)
  }

  send(parts: readonly Uint8Array[]): boolean {
    // The sender reuses its memory.
    const chunk = Buffer.concat(parts)
    const peer = this.#peer
    queueMicrotask(() => peer?.receive(chunk))
    return true
  }

  close(cause: LinkCause): void {
    const peer = this.#peer
    this.end(cause)
    // After everything that was sent.
    queueMicrotask(() => peer?.end(ENDED))
  }

  receive(chunk: Uint8Array): void {
    if (this.#closed) return
    if (this.#events) this.#events.bytes(chunk)
    else this.#early.push(chunk)
  }

  end(cause: LinkCause): void {
    if (this.#closed) return
    this.#closed = true
    queueMicrotask(() => this.#events?.closed(cause))
  }
}
