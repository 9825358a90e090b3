// A stream between nodes as the gateway uses it: what it says is put into envelopes, and what comes is taken out.
import type { Lane, LinkCause, LinkMessage, LinkStream, StreamHandler, StreamKind } from '@bowline/link/api'
import { PeerControl, endMessage, toCause } from './envelope.ts'

const DONE: LinkCause = { by: 'gateway', reason: 'done', message: '' }
const NODE_LOST: LinkCause = {
  by: 'network',
  reason: 'node-lost',
  message: 'The connection to the server that holds the device was lost.',
}
const BROKEN: LinkCause = { by: 'gateway', reason: 'protocol', message: 'A server has sent what no server sends.' }

/** The near end of a stream whose far end is on another node. */
export class PeerStream implements LinkStream {
  readonly #raw: LinkStream
  #closed: LinkCause | undefined

  constructor(raw: LinkStream) {
    this.#raw = raw
  }

  get id(): number {
    return this.#raw.id
  }

  get kind(): StreamKind {
    return this.#raw.kind
  }

  get queuedBytes(): number {
    return this.#raw.queuedBytes
  }

  /** Why this end has closed it; undefined while it has not. */
  get closedHere(): LinkCause | undefined {
    return this.#closed
  }

  write(bytes: Uint8Array, lane?: Lane, done?: () => void): boolean {
    return this.#raw.write(bytes, lane, done)
  }

  consumed(count: number): void {
    this.#raw.consumed(count)
  }

  eof(): void {
    this.#raw.eof()
  }

  control(message: LinkMessage, place: 'in-order' | 'overtaking' = 'in-order'): void {
    this.#raw.control({ message, ...(place === 'overtaking' ? { overtaking: true } : {}) }, place)
  }

  close(cause: LinkCause = DONE, queued: 'send' | 'drop' = 'send'): void {
    this.#closed ??= cause
    // The far end takes a close without its announcement for one that drops what is queued.
    if (queued === 'send') this.#raw.control(endMessage(cause))
    this.#raw.close(cause, queued)
  }
}

/**
 * @param make the handler of the stream's owner
 * @returns the stream for its owner, and the handler for the link between the nodes
 */
export function peerHandler(
  raw: LinkStream,
  make: (stream: PeerStream) => StreamHandler,
): { stream: PeerStream; handler: StreamHandler } {
  const stream = new PeerStream(raw)
  const own = make(stream)
  let announced: LinkCause | undefined
  const incoming: StreamHandler = {
    ...(own.transient ? { transient: true } : {}),
    data: (bytes, lane) => own.data(bytes, lane),
    drain: () => own.drain?.(),
    eof: () => own.eof?.(),
    control(message) {
      const parsed = PeerControl.safeParse(message)
      if (!parsed.success) return raw.close(BROKEN, 'drop')
      if ('end' in parsed.data) announced = toCause(parsed.data.end)
      else own.control?.(parsed.data.message)
    },
    closed: (cause) => own.closed(stream.closedHere ?? announced ?? unannounced(cause)),
  }
  return { stream, handler: incoming }
}

/** The other node has refused the stream, in its own words; or the link between the nodes has ended. */
function unannounced({ by, reason, message, fromPeer }: LinkCause): LinkCause {
  return fromPeer && by !== 'network' ? { by, reason, message } : NODE_LOST
}
