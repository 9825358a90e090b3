// Handler of a stream whose consumer does not exist yet. A device replies and sends its first bytes in one message, but
// the channel for them opens some ticks later: events in between are buffered in order and hold their credit.
import type { Lane, LinkCause, LinkMessage, StreamHandler } from '@bowline/link/api'

/** Events for the opener of the stream until a consumer is attached. */
export interface Opening {
  control(message: LinkMessage): void
  /** The stream has closed; a consumer attached later still receives the buffered events, then the end. */
  closed(cause: LinkCause): void
  /** The buffer limit is exceeded. */
  overflow(): void
}

export interface DeferredHandler {
  /** For the stream; borrows the buffers it receives. */
  readonly handler: StreamHandler
  /**
   * Attaches the consumer, once. It receives buffered events in a microtask, and later ones as they arrive.
   * @param consumer borrows the buffers it receives
   */
  attach(consumer: StreamHandler): void
}

type Kept = { readonly kind: 'data'; bytes: Buffer; readonly lane: Lane } | { readonly kind: 'eof' }

/** Small chunks are merged, so that single bytes do not cost an object each. */
const MERGE_BYTES = 4 * 1024

/** @param maxBytes limit of the buffer; the stream's credit bounds it too */
export function deferHandler(opening: Opening, maxBytes: number): DeferredHandler {
  let consumer: StreamHandler | undefined
  let kept: Kept[] = []
  let keptBytes = 0
  let endedBy: LinkCause | undefined

  function keep(bytes: Uint8Array, lane: Lane): void {
    keptBytes += bytes.length
    if (keptBytes > maxBytes) return opening.overflow()
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
    // Deferred until the caller has returned the channel's handler.
    attach: (to) => queueMicrotask(() => deliver(to)),
  }
}
