// A TCP connection of the device as a Node stream: HTTP clients and TLS run over it. Credit returns to the device as the
// reader takes bytes, so that a slow client stops the sender at its source.
import { Duplex } from 'node:stream'
import type { Clock } from '@bowline/base/clock'
import type { Link, LinkCause, LinkStream, StreamHandler } from '@bowline/link/api'
import { DialEvent, type EngineOpen, type HttpOpen } from '@bowline/link/stream-messages'

/** Time in which the device must connect to the service, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 10_000

/** `gone`: the link of the device has ended. */
export type TunnelFailure = 'refused' | 'timeout' | 'lost' | 'gone'

/** The connection through the device has failed. */
export class TunnelError extends Error {
  readonly failure: TunnelFailure

  constructor(failure: TunnelFailure, cause: LinkCause) {
    super(cause.message)
    this.name = 'TunnelError'
    this.failure = failure
  }
}

/** One connection from a device to a service that it can reach. */
export class LinkSocket extends Duplex {
  readonly #stream: LinkStream
  readonly #cancelTimer: () => void
  #connected = false
  #ended = false
  /** Received bytes whose credit is still owed. */
  #owed = 0
  #written: (() => void) | undefined
  /** Why it has been lost, while there are bytes from before that. */
  #lost: TunnelError | undefined

  /**
   * Opens the connection; what is written before it stands is delivered afterwards.
   * @param kind `engine`: to the container engine of the device instead of a service
   */
  constructor(link: Link, target: HttpOpen, clock: Clock, kind?: 'http')
  constructor(link: Link, target: EngineOpen, clock: Clock, kind: 'engine')
  constructor(link: Link, target: HttpOpen | EngineOpen, clock: Clock, kind: 'http' | 'engine' = 'http') {
    super({ allowHalfOpen: true, emitClose: true })
    this.#stream = link.open(kind, target, () => this.#handler())
    this.#cancelTimer = clock.after(CONNECT_TIMEOUT_MS, () => {
      const cause: LinkCause = { by: 'gateway', reason: 'timeout', message: 'The device did not connect in time.' }
      this.destroy(new TunnelError('timeout', cause))
    })
  }

  /** Called by Node's HTTP agent. A link keeps the process alive, or not, as a whole. */
  ref(): this {
    return this
  }

  override _read(): void {
    const count = this.#owed
    this.#owed = 0
    if (count > 0) this.#stream.consumed(count)
  }

  override read(size?: number): unknown {
    const chunk: unknown = super.read(size)
    if (this.#lost && this.readableLength === 0) process.nextTick(() => this.destroy(this.#lost))
    return chunk
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    // Nobody takes them any more; what the service has said before that is still to be read.
    if (this.#lost || this.#stream.write(chunk)) done()
    else this.#written = done
  }

  override _final(done: () => void): void {
    this.#stream.eof()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#cancelTimer()
    // Everything queued has been sent by `eof`; after an error nobody waits for it.
    const queued = error === null && this.writableFinished ? 'send' : 'drop'
    this.#stream.close({ by: 'user', reason: 'done', message: 'The request is over.' }, queued)
    done(error)
  }

  #handler(): StreamHandler {
    return {
      data: (bytes) => {
        const { length } = bytes
        this.#owed += length
        if (this.push(bytes)) this._read()
      },
      drain: () => {
        const done = this.#written
        this.#written = undefined
        done?.()
      },
      eof: () => this.#end(),
      control: (message) => {
        if (this.#connected || !DialEvent.safeParse(message).success) return
        this.#connected = true
        this.#cancelTimer()
        this.emit('connect')
      },
      closed: (cause) => this.#closed(cause),
    }
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.push(null)
  }

  #closed(cause: LinkCause): void {
    this.#cancelTimer()
    if (this.#connected && cause.by === 'agent' && cause.reason === 'done') {
      this.#end()
      this.#written?.()
      return
    }
    if (this.destroyed) return
    const error = new TunnelError(failureOf(cause, this.#connected), cause)
    if (this.readableLength === 0) return void this.destroy(error)
    this.#lost = error
    this.#written?.()
  }
}

function failureOf({ by, reason, message }: LinkCause, isConnected: boolean): TunnelFailure {
  // The agent only speaks of the service; whatever else ends a stream has ended the link.
  if (by !== 'agent') return 'gone'
  if (isConnected || reason !== 'connect-failed') return 'lost'
  return /within \d+ seconds|ETIMEDOUT/.test(message) ? 'timeout' : 'refused'
}
