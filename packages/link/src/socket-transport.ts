// A transport over a socket that has been upgraded to WebSocket. Everything after the upgrade is here, on the raw
// socket: the general-purpose receiver and sender of a WebSocket library cost two to four times the CPU per byte.
import { randomFillSync } from 'node:crypto'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { LinkCause } from './api.ts'
import type { LinkClock } from './clock.ts'
import type { Transport, TransportEvents } from './transport.ts'
import { OPCODE, WebSocketDecoder, applyMask, frameHeader } from './websocket.ts'

/**
 * How a sender masks. A server does not. A client has to; under TLS nothing between the ends can be confused by what
 * it sees, so there the mask is zero and costs nothing.
 */
export type Masking = 'none' | 'zero' | 'random'

export interface SocketTransportParts {
  readonly socket: Duplex
  /** Bytes that came with the upgrade. */
  readonly head: Uint8Array
  readonly masking: Masking
  /** `send` answers false while the socket holds more than this. */
  readonly highBytes: number
  readonly clock: LinkClock
}

/** How long a peer may take to end its side after a close. */
const END_MS = 2_000
const ZERO_MASK = new Uint8Array(4)

/**
 * A message with its header fills two records of TLS, 16 KiB each. A receiver of bulk then gets one frame in two
 * pieces as they come, instead of crumbs at every boundary.
 */
const MESSAGE_BYTES = 32 * 1024

export class SocketTransport implements Transport {
  readonly messageBytes: number
  readonly #socket: Duplex
  readonly #clock: LinkClock
  readonly #masking: Masking
  readonly #highBytes: number
  readonly #decoder: WebSocketDecoder
  #events: TransportEvents | undefined
  #head: Uint8Array | undefined
  #behind = false
  #corked = false
  #cause: LinkCause | undefined
  #closing = false
  #closedTold = false
  #cancelEnd: () => void = () => undefined

  constructor({ socket, head, masking, highBytes, clock }: SocketTransportParts) {
    this.#socket = socket
    this.#clock = clock
    this.#masking = masking
    this.messageBytes = MESSAGE_BYTES - (masking === 'none' ? 4 : 8)
    this.#highBytes = highBytes
    this.#head = head.length > 0 ? head : undefined
    this.#decoder = new WebSocketDecoder(masking === 'none', {
      bytes: (piece) => this.#events?.bytes(piece),
      ping: (payload) => this.#pong(payload),
      close: (code) => this.#peerClosed(code),
    })
    if (socket instanceof Socket) socket.setNoDelay(true).setTimeout(0)
    socket
      .on('error', (error) => {
        this.#cause ??= { by: 'network', reason: 'connection-lost', message: errorCode(error) }
      })
      .on('close', () => this.#closed())
      .on('end', () => this.#socket.end())
  }

  listen(events: TransportEvents): void {
    const first = this.#events === undefined
    this.#events = events
    if (!first) return
    // Not before now: until somebody listens, bytes wait in the socket.
    queueMicrotask(() => {
      if (this.#head) this.#received(this.#head)
      this.#head = undefined
      this.#socket
        .on('data', (chunk: Uint8Array) => this.#received(chunk))
        .on('drain', () => this.#drained())
        .resume()
      if (this.#socket.destroyed) this.#closed()
    })
  }

  send(parts: readonly Uint8Array[]): boolean {
    if (this.#closing || this.#socket.destroyed) return true
    let length = 0
    for (const part of parts) length += part.length
    const socket = this.#socket
    this.#cork()
    if (this.#masking === 'random') this.#writeMasked(OPCODE.binary, parts, length)
    else {
      socket.write(frameHeader(OPCODE.binary, length, this.#masking === 'zero' ? ZERO_MASK : undefined))
      for (const part of parts) socket.write(part)
    }
    this.#behind = socket.writableNeedDrain && socket.writableLength >= this.#highBytes
    return !this.#behind
  }

  close(cause: LinkCause): void {
    if (this.#closing) return
    const code = cause.reason === 'protocol' ? 1002 : 1000
    this.#end(cause, Buffer.concat([Uint8Array.of(code >> 8, code & 0xff), Buffer.from(cause.reason.slice(0, 64))]))
  }

  #end(cause: LinkCause, payload: Uint8Array): void {
    if (this.#closing) return
    this.#cause ??= cause
    if (!this.#socket.destroyed) {
      this.#control(OPCODE.close, payload)
      this.#socket.end()
      this.#cancelEnd = this.#clock.after(END_MS, () => this.#socket.destroy())
    }
    this.#closing = true
  }

  #received(chunk: Uint8Array): void {
    if (this.#closing) return
    const fault = this.#decoder.push(chunk)
    if (fault !== undefined) this.close({ by: 'network', reason: 'protocol', message: fault })
  }

  #peerClosed(code: number): void {
    this.#end(
      { by: 'network', reason: 'disconnected', message: `the peer closed the connection (${code})` },
      Buffer.of(3, 232),
    )
  }

  #drained(): void {
    if (!this.#behind || this.#closing) return
    this.#behind = false
    this.#events?.drain()
  }

  #closed(): void {
    const events = this.#events
    if (!events || this.#closedTold) return
    this.#closing = true
    this.#closedTold = true
    this.#cancelEnd()
    events.closed(this.#cause ?? { by: 'network', reason: 'disconnected', message: 'the connection was closed' })
  }

  /** What is sent in one turn leaves in one write: one encryption, one call to the kernel. */
  #cork(): void {
    if (this.#corked) return
    this.#corked = true
    this.#socket.cork()
    queueMicrotask(() => {
      this.#corked = false
      this.#socket.uncork()
    })
  }

  /** A peer that does not read gets no pongs: they would pile up. */
  #pong(payload: Uint8Array): void {
    if (!this.#closing && this.#socket.writableLength < this.#highBytes) this.#control(OPCODE.pong, payload)
  }

  #control(opcode: number, payload: Uint8Array): void {
    if (this.#masking === 'random') return this.#writeMasked(opcode, [payload], payload.length)
    const header = frameHeader(opcode, payload.length, this.#masking === 'zero' ? ZERO_MASK : undefined)
    this.#socket.write(Buffer.concat([header, payload]))
  }

  /** Masks a copy: parts may be read elsewhere still. */
  #writeMasked(opcode: number, parts: readonly Uint8Array[], length: number): void {
    const mask = randomFillSync(new Uint8Array(4))
    const payload = Buffer.concat(parts, length)
    applyMask(payload, mask, 0)
    this.#socket.write(frameHeader(opcode, length, mask))
    this.#socket.write(payload)
  }
}

function errorCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
