// The handler of a stream whose consumer does not exist yet. A device answers and sends its first bytes in one message,
// while the channel that will carry them is made some turns later: what arrives between is kept, in order, at the
// expense of the credit that it used.
import type { Lane, LinkCause, LinkMessage, StreamHandler } from '@bowline/link/api'

/** What the opener of the stream hears until a consumer is attached. */
export interface Opening {
  control(message: LinkMessage): void
  /** The stream has ended; a consumer that is attached later still gets what was kept, and then the end. */
  closed(cause: LinkCause): void
  /** More arrived than may be kept. */
  overflow(): void
}

export interface DeferredHandler {
  /** For the stream; borrows what it is given. */
  readonly handler: StreamHandler
  /**
   * Attaches the consumer, once. It gets what was kept at the end of this turn, and everything later as it arrives.
   * @param consumer borrows what it is given
   */
  attach(consumer: StreamHandler): void
}

type Kept = { readonly kind: 'data'; bytes: Buffer; readonly lane: Lane } | { readonly kind: 'eof' }

/** Small pieces are kept as one, so that a peer that sends single bytes costs no object for each. */
const MERGE_BYTES = 4 * 1024

/** @param mostBytes that are kept; the stream's credit bounds them too */
export function deferHandler(opening: Opening, mostBytes: number): DeferredHandler {
  let consumer: StreamHandler | undefined
  let kept: Kept[] = []
  let keptBytes = 0
  let endedBy: LinkCause | undefined

  function keep(bytes: Uint8Array, lane: Lane): void {
    keptBytes += bytes.length
    if (keptBytes > mostBytes) return opening.overflow()
    const last = kept.at(-1)
    if (last?.kind === 'data' && last.lane === lane && last.bytes.length + bytes.length <= MERGE_BYTES) {
      last.bytes = Buffer.concat([last.bytes, bytes])
    } else kept.push({ kind: 'data', bytes: Buffer.from(bytes), lane })
  }

  function deliver(to: StreamHandler): void {
    consumer = to
    for (const item of kept) {
      if (item.kind === 'data') to.data(item.bytes, item.lane)
      else to.eof?.()
    }
    kept = []
    if (endedBy) to.closed(endedBy)
  }

  return {
    handler: {
      transient: true,
      data: (bytes, lane) => (consumer ? consumer.data(bytes, lane) : keep(bytes, lane)),
      drain: () => consumer?.drain?.(),
      eof: () => (consumer ? consumer.eof?.() : void kept.push({ kind: 'eof' })),
      control: (message) => (consumer ? consumer.control?.(message) : opening.control(message)),
      closed(cause) {
        if (consumer) return consumer.closed(cause)
        endedBy = cause
        opening.closed(cause)
      },
    },
    // Not before the caller has returned to whoever made the consumer's other side.
    attach: (to) => queueMicrotask(() => deliver(to)),
  }
}
