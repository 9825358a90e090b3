// The API of a link for both of its ends: the types of links and streams, shared by gateway and agent.
// The wire format is in frame.ts, the state machine in link.ts, the sockets in dial.ts (agent) and accept.ts (server).

/** Why a stream or link ended; crosses the wire as JSON, so the receiver treats it as a claim of the peer. */
export interface LinkCause {
  readonly by: 'user' | 'agent' | 'gateway' | 'admin' | 'policy' | 'network'
  /** Kebab-case word, for example `done`, `displaced`, `keepalive`, `protocol`, `refused`. */
  readonly reason: string
  readonly message: string
  /** Set when the cause came from the peer: `message` is the peer's text, sanitized. Never sent. */
  readonly fromPeer?: true
}

/** JSON object in an `open` or `control` payload. Validated by the receiver against the schema of the stream's kind. */
export type LinkMessage = { readonly [key: string]: unknown }

/**
 * Purpose of a stream. The message schemas of each kind are in stream-messages.ts, except for those that only servers open to each
 * other: `lease`, `terminal` and `recording`.
 */
export type StreamKind =
  | 'auth'
  | 'session'
  | 'dial'
  | 'listen'
  | 'accept'
  | 'http'
  | 'engine'
  | 'health'
  | 'lease'
  | 'terminal'
  | 'recording'

/** One of a stream's two byte lanes: 0 is data (stdin, stdout, sockets), 1 is stderr. Both share the credit. */
export type Lane = 0 | 1

/**
 * The owner's end of a stream. Callbacks are never made from inside a call to the stream or its link; a throw closes
 * this stream only.
 */
export interface StreamHandler {
  /**
   * Bytes from the peer; the callee owns the memory unless it sets `transient`. The peer may send more only after
   * {@link LinkStream.consumed} has been called.
   */
  data(bytes: Uint8Array, lane: Lane): void
  /**
   * True: the bytes passed to `data` are only valid during the call. Saves a copy for handlers that forward or copy
   * them anyway. Wrappers that retain bytes must not copy this flag.
   */
  readonly transient?: boolean
  /**
   * After `write` returned false: the stream has sent some of what is queued ({@link LinkStream.queuedBytes} says what is
   * left), or can take more.
   */
  drain?(): void
  /** The peer sends no more bytes; control messages may still follow. */
  eof?(): void
  control?(message: LinkMessage): void
  /** Called exactly once, last. */
  closed(cause: LinkCause): void
}

/**
 * A stream's handler, or a factory that creates it from the stream before anything can arrive, so that the handler
 * needs no fields that start out undefined.
 */
export type HandlerOf = StreamHandler | ((stream: LinkStream) => StreamHandler)

/** One stream of a link. All methods are safe (and do nothing) after it has closed. */
export interface LinkStream {
  readonly id: number
  readonly kind: StreamKind
  /**
   * Queues bytes; the memory belongs to the stream from here on. Writes of at most 1 KiB overtake queued bulk of
   * other streams.
   * @param done called when the memory may be reused: soon, or never if the stream ends first
   * @returns false when the caller should stop until `drain`: out of credit, or the socket is backed up
   */
  write(bytes: Uint8Array, lane?: Lane, done?: () => void): boolean
  /** Bytes accepted by `write` and not yet sent. */
  readonly queuedBytes: number
  /** Returns credit: `count` received bytes have been processed. */
  consumed(count: number): void
  /** Sent after everything queued. */
  eof(): void
  /**
   * Sent after everything queued, in order with the bytes. At most 64 KiB as JSON; more closes the stream.
   * @param place `overtaking` sends it ahead of this stream's queued bytes, for messages that must work while the peer
   *   is not reading (signal, window-change, eow)
   */
  control(message: LinkMessage, place?: 'in-order' | 'overtaking'): void
  /**
   * Closes both directions.
   * @param cause default: done, by this side
   * @param queued `send` (default) closes after everything queued has been sent, which takes as long as the peer takes
   *   to grant credit. `drop` closes now: for when the stream's other party is gone
   */
  close(cause?: LinkCause, queued?: 'send' | 'drop'): void
}

/** The owner's end of a link. */
export interface LinkHandler {
  /**
   * The peer opened a stream. Returns its handler, or a cause to refuse it with. The header is untrusted.
   */
  open(kind: StreamKind, header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause
  /** The peer is draining this link: no new streams here, running ones continue. */
  goaway?(cause: LinkCause): void
  /** A ping was answered; round trip in milliseconds. */
  alive?(roundTripMs: number): void
  /** Called exactly once, after every stream's `closed`. */
  closed(cause: LinkCause): void
}

/**
 * Reason of an agent's `goaway` when another process of the device takes over. Unlike after any other, streams may still
 * be opened: logins until the newer link is there, and what belongs to running logins afterwards. The server does not
 * close the link when the newer one comes.
 */
export const HANDING_OVER = 'handing-over'

/** Flow control and limits, in bytes and milliseconds. */
export interface LinkOptions {
  /** Initial credit each side grants per stream. */
  readonly windowBytes: number
  /** A stream whose reader keeps up is given up to this much credit. */
  readonly windowMaxBytes: number
  /** All streams together are given at most this much credit beyond `windowBytes` each. */
  readonly growthBytes: number
  /** A stream with more than this unsent is closed: its owner ignores the return value of `write`. */
  readonly queueMaxBytes: number
  readonly frameBytes: number
  /** `write` returns false while the socket holds more than this. */
  readonly socketHighBytes: number
  readonly maxStreams: number
  readonly pingMs: number
  /** No frame for this long: the link is dead. */
  readonly deadMs: number
}

export const LINK_DEFAULTS: LinkOptions = {
  windowBytes: 256 * 1024,
  windowMaxBytes: 4 * 1024 * 1024,
  growthBytes: 64 * 1024 * 1024,
  queueMaxBytes: 16 * 1024 * 1024,
  frameBytes: 64 * 1024,
  socketHighBytes: 256 * 1024,
  maxStreams: 4_096,
  pingMs: 20_000,
  deadMs: 45_000,
}

export interface Link {
  /**
   * Opens a stream. Never throws: a refusal or a dead link reaches `handler.closed`. Bytes may be written at once.
   */
  open(kind: StreamKind, header: LinkMessage, handler: HandlerOf, options?: { windowBytes?: number }): LinkStream
  readonly streamCount: number
  goaway(cause: LinkCause): void
  /** Ends the link; streams end with the same cause. */
  close(cause: LinkCause): void
}
