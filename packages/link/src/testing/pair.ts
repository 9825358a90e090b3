// Test support: two links connected in memory, with a clock and a socket backlog under the test's control. Bytes travel
// in microtasks, so a pair works the same under real and fake timers.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import type {
  Lane,
  Link,
  LinkCause,
  LinkHandler,
  LinkMessage,
  LinkOptions,
  LinkStream,
  StreamHandler,
  StreamKind,
} from '../api.ts'
import { startLink } from '../session/link.ts'
import type { Transport, TransportEvents } from '../session/transport.ts'

const DISCONNECTED: LinkCause = { by: 'network', reason: 'disconnected', message: 'the connection was closed' }

/** Resolves when everything in flight in memory has arrived. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** One end of an in-memory connection. Bytes sent arrive at the other end in a microtask, or wait while held. */
export class MemoryTransport implements Transport {
  readonly messageBytes = 64 * 1024
  /** Count of all bytes sent, for tests that look at the wire. */
  sentBytes = 0
  /** Called with every chunk before delivery; returns what to deliver instead (injects faults on the wire). */
  tamper: (chunk: Uint8Array) => readonly Uint8Array[] = (chunk) => [chunk]
  closeCause: LinkCause | undefined
  #peer: MemoryTransport | undefined
  #events: TransportEvents | undefined
  #early: Uint8Array[] = []
  #held: Uint8Array[] | undefined
  #heldBytes = 0
  readonly #highBytes: number

  constructor(highBytes: number) {
    this.#highBytes = highBytes
  }

  static pair(highBytes: number): [MemoryTransport, MemoryTransport] {
    const [a, b] = [new MemoryTransport(highBytes), new MemoryTransport(highBytes)]
    a.#peer = b
    b.#peer = a
    return [a, b]
  }

  listen(events: TransportEvents): void {
    this.#events = events
    const early = this.#early
    this.#early = []
    for (const chunk of early) this.#arrive(chunk)
  }

  send(parts: readonly Uint8Array[]): boolean {
    for (const part of parts) {
      this.sentBytes += part.length
      if (this.#held) {
        this.#held.push(Uint8Array.from(part))
        this.#heldBytes += part.length
      } else this.#pass(Uint8Array.from(part))
    }
    return this.#heldBytes < this.#highBytes
  }

  close(cause: LinkCause): void {
    this.#end(cause)
    const peer = this.#peer
    if (peer) queueMicrotask(() => peer.#end(DISCONNECTED))
  }

  /** Holds everything sent from here on: the socket takes no more. */
  hold(): void {
    this.#held ??= []
  }

  /** Delivers everything held and all that follows. */
  release(): void {
    const held = this.#held ?? []
    const wasBehind = this.#heldBytes >= this.#highBytes
    this.#held = undefined
    this.#heldBytes = 0
    for (const part of held) this.#pass(part)
    if (wasBehind) queueMicrotask(() => this.#events?.drain())
  }

  #pass(part: Uint8Array): void {
    const peer = this.#peer
    if (peer) for (const chunk of this.tamper(part)) queueMicrotask(() => peer.#arrive(chunk))
  }

  #arrive(chunk: Uint8Array): void {
    if (this.closeCause) return
    if (this.#events) this.#events.bytes(chunk)
    else this.#early.push(chunk)
  }

  #end(cause: LinkCause): void {
    if (this.closeCause) return
    this.closeCause = cause
    queueMicrotask(() => this.#events?.closed(cause))
  }
}

/** Two connected links and their observable state. */
export interface LinkPair {
  readonly gateway: Link
  readonly agent: Link
  readonly clock: ManualClock
  readonly gatewayTransport: MemoryTransport
  readonly agentTransport: MemoryTransport
  /** Errors thrown by callbacks. */
  readonly errors: unknown[]
  /** Why each link ended; unset while it runs. */
  readonly ends: { gateway?: LinkCause; agent?: LinkCause }
}

/**
 * Connects two links in memory, after the handshake.
 * @param handlers of streams opened by the other side; a side without one refuses them all
 */
export function linkPair(
  handlers: {
    gateway?: Partial<LinkHandler>
    agent?: Partial<LinkHandler>
    options?: Partial<LinkOptions>
    clock?: ManualClock
  } = {},
): LinkPair {
  const clock = handlers.clock ?? new ManualClock()
  const [gatewayTransport, agentTransport] = MemoryTransport.pair(handlers.options?.socketHighBytes ?? 256 * 1024)
  const errors: unknown[] = []
  const ends: LinkPair['ends'] = {}
  const start = (side: 'gateway' | 'agent', transport: Transport): Link => {
    const given = handlers[side]
    const handler: LinkHandler = {
      open: () => ({ by: side, reason: 'refused', message: `this ${side} takes no streams` }),
      ...given,
      closed(cause) {
        ends[side] = cause
        given?.closed?.(cause)
      },
    }
    return startLink({
      transport,
      side,
      handler,
      clock,
      report: (error) => errors.push(error),
      ...(handlers.options ? { options: handlers.options } : {}),
    })
  }
  const gateway = start('gateway', gatewayTransport)
  const agent = start('agent', agentTransport)
  return { gateway, agent, clock, gatewayTransport, agentTransport, errors, ends }
}

/** A stream handler that records its callbacks. By default received bytes are consumed at once. */
export class RecordedStream implements StreamHandler {
  stream: LinkStream | undefined
  /** The kind the stream was opened with, when the peer opened it. */
  kind: StreamKind | undefined
  header: LinkMessage | undefined
  readonly lanes: [Uint8Array[], Uint8Array[]] = [[], []]
  readonly messages: LinkMessage[] = []
  /** Names of the callbacks, in call order. */
  readonly events: string[] = []
  drains = 0
  cause: LinkCause | undefined
  /** Whether received bytes are consumed at once. */
  consumes: boolean
  readonly #whenClosed: Promise<LinkCause>
  #resolveClosed: (cause: LinkCause) => void = () => undefined

  constructor(options: { consume?: boolean } = {}) {
    this.consumes = options.consume ?? true
    this.#whenClosed = new Promise((resolve) => {
      this.#resolveClosed = resolve
    })
  }

  /** Opens a stream on `link` and records it. */
  static open(
    link: Link,
    kind: StreamKind,
    header: LinkMessage = {},
    options: { consume?: boolean; windowBytes?: number } = {},
  ): RecordedStream & { stream: LinkStream } {
    const recorded = new RecordedStream(options)
    const stream = link.open(kind, header, recorded, options)
    return Object.assign(recorded, { stream })
  }

  /** An implementation of `LinkHandler.open` that records every stream the peer opens into `into`. */
  static accept(
    into: RecordedStream[],
    options: { consume?: boolean } = {},
  ): (kind: StreamKind, header: LinkMessage, stream: LinkStream) => StreamHandler {
    return (kind, header, stream) => {
      const recorded = Object.assign(new RecordedStream(options), { kind, header, stream })
      into.push(recorded)
      return recorded
    }
  }

  data(bytes: Uint8Array, lane: Lane): void {
    this.events.push('data')
    this.lanes[lane].push(bytes)
    if (this.consumes) this.stream?.consumed(bytes.length)
  }

  drain(): void {
    this.events.push('drain')
    this.drains += 1
  }

  eof(): void {
    this.events.push('eof')
  }

  control(message: LinkMessage): void {
    this.events.push('control')
    this.messages.push(message)
  }

  closed(cause: LinkCause): void {
    this.events.push('closed')
    this.cause = cause
    this.#resolveClosed(cause)
  }

  /** Resolves with the cause when the stream has closed. */
  whenClosed(): Promise<LinkCause> {
    return this.#whenClosed
  }

  /** All bytes of a lane so far. */
  bytes(lane: Lane = 0): Buffer {
    return Buffer.concat(this.lanes[lane])
  }

  text(lane: Lane = 0): string {
    return this.bytes(lane).toString('utf8')
  }
}
