// The connection under a link: ordered bytes both ways with backpressure. Message boundaries carry no meaning; frames
// may share a message or span several.
import type { LinkCause } from '../api.ts'

/** The owner's end of a transport. Called only after {@link Transport.listen}, never from inside a call to it. */
export interface TransportEvents {
  /** Bytes from the peer, only valid during the call. */
  bytes(chunk: Uint8Array): void
  /** The socket can take more after `send` returned false. */
  drain(): void
  /** The connection has ended. Called exactly once, last. */
  closed(cause: LinkCause): void
}

export interface Transport {
  /** Preferred chunk size in bytes, for example one that fills TLS records. */
  readonly messageBytes: number
  /** Sets the receiver. Bytes that arrived earlier follow. May be called again to hand the connection over. */
  listen(events: TransportEvents): void
  /**
   * Sends the parts in order; their memory may be reused when it returns.
   * @returns false when the caller should stop until `drain`
   */
  send(parts: readonly Uint8Array[]): boolean
  /** Sends what is queued if the peer still reads, then ends the connection within a bounded time. */
  close(cause: LinkCause): void
}
