// Link transport over a socket upgraded to WebSocket. Framing is done here on the raw socket: the general-purpose
// receiver and sender of a WebSocket library cost two to four times the CPU per byte.
import { Buffer } from 'node:buffer'
import { randomFillSync } from 'node:crypto'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { BlockPool } from '@bowline/base/bytes/block-pool'
import type { Clock } from '@bowline/base/clock'
import { readSocket } from '@bowline/base/bytes/read-socket'
import type { LinkCause } from '../api.ts'
import type { Transport, TransportEvents } from '../session/transport.ts'
import { OPCODE, WebSocketDecoder, applyMask, frameHeader } from './websocket.ts'

/**
 * Masking of sent frames. A server does not mask. A client must; under TLS no intermediary can be confused by the
 * payload, so there the mask is zero and costs nothing.
 */
export type Masking = 'none' | 'zero' | 'random'

export interface SocketTransportParts {
  readonly socket: Duplex
  /** Bytes that came with the upgrade. */
  readonly head: Uint8Array
  readonly masking: Masking
  /** `send` returns false while the socket holds more than this. */
  readonly highBytes: number
  readonly clock: Clock
}

/** How long a peer may take to close its side. */
const CLOSE_TIMEOUT_MS = 2_000
const ZERO_MASK = new Uint8Array(4)

/**
 * A message with its header fills four TLS records of 16 KiB each. A receiver of bulk then gets one frame in four
 * pieces, instead of small fragments at every boundary.
 */
const MESSAGE_BYTES = 64 * 1024
/** Messages of at least this size are assembled in a shared block; smaller ones get memory of their own size. */
const BLOCK_FROM_BYTES = 16 * 1024
const blocks = new BlockPool(MESSAGE_BYTES, 32)
/**
 * High watermark of the socket's queue. TLS copies what is written while an earlier write is in flight into one fresh
 * buffer, unless it is a single message: so there is never more than one queued behind the one in flight.
 */
const BEHIND_BYTES = MESSAGE_BYTES

export class SocketTransport implements Transport {
  readonly messageBytes: number
  readonly #socket: Duplex
  readonly #clock: Clock
  readonly #masking: Masking
  readonly #highBytes: number
  readonly #behindBytes: number
  readonly #decoder: WebSocketDecoder
  #events: TransportEvents | undefined
  #head: Uint8Array | undefined
  #behind = false
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
    this.#behindBytes = Math.min(highBytes, BEHIND_BYTES)
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
    // Deferred until here: without a listener, bytes stay in the socket.
    queueMicrotask(() => {
      if (this.#head) this.#received(this.#head)
      this.#head = undefined
      readSocket(this.#socket, (chunk) => this.#received(chunk))
      if (this.#socket.destroyed) this.#closed()
    })
  }

  send(parts: readonly Uint8Array[]): boolean {
    if (this.#closing || this.#socket.destroyed) return true
    this.#write(OPCODE.binary, parts)
    this.#behind = this.#socket.writableLength > this.#behindBytes
    return !this.#behind
  }

  close(cause: LinkCause): void {
    this.#close(cause, cause.reason === 'protocol' ? 1002 : 1000)
  }

  /** @param code of RFC 6455 section 7.4.1 */
  #close(cause: LinkCause, code: number): void {
    this.#end(cause, Buffer.concat([Uint8Array.of(code >> 8, code & 0xff), Buffer.from(cause.reason.slice(0, 64))]))
  }

  #end(cause: LinkCause, payload: Uint8Array): void {
    if (this.#closing) return
    this.#cause ??= cause
    if (!this.#socket.destroyed) {
      this.#write(OPCODE.close, [payload])
      this.#socket.end()
      this.#cancelEnd = this.#clock.after(CLOSE_TIMEOUT_MS, () => this.#socket.destroy())
    }
    this.#closing = true
  }

  #received(chunk: Uint8Array): void {
    if (this.#closing) return
    const fault = this.#decoder.push(chunk)
    if (fault) this.#close({ by: 'network', reason: 'protocol', message: fault.message }, fault.code)
  }

  #peerClosed(code: number): void {
    this.#end(
      { by: 'network', reason: 'disconnected', message: `the peer closed the connection (${code})` },
      Buffer.of(3, 232),
    )
  }

  #written(): void {
    if (!this.#behind || this.#closing || this.#socket.writableLength > this.#behindBytes) return
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

  /** A peer that does not read gets no pongs: they would pile up. */
  #pong(payload: Uint8Array): void {
    if (!this.#closing && this.#socket.writableLength < this.#highBytes) this.#write(OPCODE.pong, [payload])
  }

  /** Sends header and payload in one piece: one encryption, one system call, no copy by Node in between. */
  #write(opcode: number, parts: readonly Uint8Array[]): void {
    let length = 0
    for (const part of parts) length += part.length
    const mask = this.#mask()
    const header = frameHeader(opcode, length, mask)
    const end = header.length + length
    const isBlock = end >= BLOCK_FROM_BYTES && end <= MESSAGE_BYTES
    const memory = isBlock ? blocks.take() : Buffer.allocUnsafeSlow(end)
    memory.set(header)
    let at = header.length
    for (const part of parts) {
      memory.set(part, at)
      at += part.length
    }
    if (mask) applyMask(memory.subarray(header.length, end), mask, 0)
    this.#socket.write(memory.subarray(0, end), () => {
      if (isBlock) blocks.release(memory)
      this.#written()
    })
  }

  #mask(): Uint8Array | undefined {
    if (this.#masking === 'none') return undefined
    return this.#masking === 'zero' ? ZERO_MASK : randomMask()
  }
}

/** Masks to come: asking for four random bytes costs as much as asking for a thousand. */
const masks = new Uint8Array(1_024)
let nextMask = masks.length

/** @returns a mask that is valid until the next one */
function randomMask(): Uint8Array {
  if (nextMask === masks.length) {
    randomFillSync(masks)
    nextMask = 0
  }
  nextMask += 4
  return masks.subarray(nextMask - 4, nextMask)
}

function errorCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
