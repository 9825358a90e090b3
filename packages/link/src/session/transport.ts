// What the link needs of a connection: ordered bytes both ways and a word about backlog. Message boundaries carry no
// meaning; frames may share a message or span several.
import type { LinkCause } from '../api.ts'

/** The owner's end of a transport. Called only after {@link Transport.listen}, never from inside a call to it. */
export interface TransportEvents {
  /** Bytes from the peer, only valid during the call. */
  bytes(chunk: Uint8Array): void
  /** The backlog is gone after a `send` answered false. */
  drain(): void
  /** The connection is over. Called exactly once, last. */
  closed(cause: LinkCause): void
}

export interface Transport {
  /** How many bytes at a time travel best, for example such that they fill the records of TLS. */
  readonly messageBytes: number
  /** Names the receiver. Bytes that arrived earlier follow. May be called again to hand the connection on. */
  listen(events: TransportEvents): void
  /**
   * Takes the parts in order; their memory is free again when it returns.
   * @returns false when the caller should stop until `drain`
   */
  send(parts: readonly Uint8Array[]): boolean
  /** Sends what is queued if the peer still reads, then ends the connection within a bounded time. */
  close(cause: LinkCause): void
}
