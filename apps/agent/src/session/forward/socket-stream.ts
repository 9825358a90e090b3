// Joins a device socket with a link stream: bytes with flow control both ways, half-closes, one end.
import type { Socket } from 'node:net'
import type { LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import type { Member } from '../../login/logins.ts'

/** Idle timeout of a socket that is still being flushed, milliseconds. */
const FLUSH_TIMEOUT_MS = 10_000

/** Owner of a connection: a login, or the tunnels of a link. */
export interface SocketOwner {
  readonly members: Set<Member>
}

/** Lives no longer than its owner, except to flush queued bytes. */
export class SocketStream implements StreamHandler, Member {
  readonly stream: LinkStream
  readonly #socket: Socket
  readonly #owner: SocketOwner
  #failure: string | undefined
  #connected: boolean
  #closed = false

  /**
   * The caller adds it to the owner's members.
   * @param open returns the stream of this handler
   */
  constructor(socket: Socket, owner: SocketOwner, open: (handler: StreamHandler) => LinkStream) {
    this.#socket = socket
    this.#owner = owner
    this.#connected = !socket.connecting
    const stream = (this.stream = open(this))
    socket.on('connect', () => (this.#connected = true))
    socket.on('data', (bytes: Buffer) => {
      if (!stream.write(bytes)) socket.pause()
    })
    socket.on('end', () => stream.eof())
    socket.on('error', (error) => (this.#failure = error.message))
    socket.on('close', () => this.#over())
  }

  data(bytes: Uint8Array): void {
    if (this.#socket.destroyed) this.stream.consumed(bytes.length)
    else this.#socket.write(bytes, () => this.stream.consumed(bytes.length))
  }

  drain(): void {
    this.#socket.resume()
  }

  eof(): void {
    this.#socket.end()
  }

  /** The other side is ready: a socket that was paused until then may resume. */
  control(message: LinkMessage): void {
    if (message['type'] === 'connected') this.#socket.resume()
  }

  closed(): void {
    this.#closed = true
    // Bytes the client has sent are still flushed to a slow reader, as the kernel would for a process that has ended.
    this.#socket.setTimeout(FLUSH_TIMEOUT_MS, () => this.#socket.destroy())
    this.#socket.resume()
    this.#socket.destroySoon()
  }

  /** Ends the connection from this side. */
  end(cause: LinkCause): void {
    this.stream.close(cause, 'drop')
    this.#closed = true
    this.#socket.destroy()
  }

  #over(): void {
    this.#owner.members.delete(this)
    if (this.#closed) return
    if (this.#failure === undefined) this.stream.close()
    else this.stream.close(failed(this.#connected ? 'reset' : 'connect-failed', this.#failure))
  }
}

/** Creates the cause of a failure on the device. */
export function failed(reason: string, message: string): LinkCause {
  return { by: 'agent', reason, message }
}
