// A WebSocket as a Node stream: one stream of transport 1, which is a connection of its own.
import { Duplex } from 'node:stream'
import type { Transport } from '@bowline/link/byte-stream'

const DONE = { by: 'gateway', reason: 'done', message: '' } as const

export class WebSocketStream extends Duplex {
  readonly #transport: Transport
  readonly #socket: Duplex
  #drained: (() => void) | undefined

  /** @param socket below the transport: it is paused while nobody reads */
  constructor(transport: Transport, socket: Duplex) {
    super({ highWaterMark: 64 * 1024 })
    this.#transport = transport
    this.#socket = socket
    // Whoever holds the stream learns of its end by `close`.
    this.on('error', () => undefined)
    transport.listen({
      bytes: (chunk) => {
        // The memory is valid during the call only.
        if (!this.destroyed && !this.push(Uint8Array.from(chunk))) socket.pause()
      },
      drain: () => this.#continue(),
      closed: () => {
        this.push(null)
        this.#continue()
        // The agent closes the whole connection: there is no half of one.
        this.end()
        if (this.readableLength === 0) this.destroy()
        else this.once('end', () => this.destroy())
      },
    })
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    if (this.#transport.send([chunk])) done()
    else this.#drained = done
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _final(done: () => void): void {
    this.#transport.close(DONE)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#transport.close(DONE)
    this.#socket.resume()
    this.#continue()
    done(error)
  }

  #continue(): void {
    const drained = this.#drained
    this.#drained = undefined
    drained?.()
  }
}
