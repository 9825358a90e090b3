// A channel as a byte stream, with exact credit in both directions: the bytes of a connection that a device forwards.
import { Duplex } from 'node:stream'
import type { ChannelHandler, SshChannel } from '@bowline/ssh/api'

export class ChannelStream extends Duplex {
  /** The channel's events. */
  readonly handler: ChannelHandler = {
    data: (bytes) => {
      if (this.push(bytes)) this.#channel.consumed(bytes.length)
      else this.#owed += bytes.length
    },
    drain: () => {
      const resume = this.#resume
      this.#resume = undefined
      resume?.()
    },
    eof: () => void this.push(null),
    closed: () => void this.destroy(),
  }
  readonly #channel: SshChannel
  /** Bytes taken out of the window that the reader has not asked for yet. */
  #owed = 0
  /** Goes on with a write that waits for the channel. */
  #resume: (() => void) | undefined

  constructor(channel: SshChannel) {
    super()
    this.#channel = channel
  }

  override _read(): void {
    const owed = this.#owed
    this.#owed = 0
    if (owed > 0) this.#channel.consumed(owed)
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#channel.write(chunk)) done()
    else this.#resume = done
  }

  override _final(done: () => void): void {
    this.#channel.eof()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#resume = undefined
    this.#channel.close()
    done(error)
  }
}
