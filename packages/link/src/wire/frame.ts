// The link's wire format: frames of `u32 payload length | u8 type | u32 stream | payload`, big endian, in a byte
// stream. Pure. Every length is checked against its type's limit before memory is allocated for it.
import type { Lane } from '../api.ts'

export const FRAME = {
  hello: 1,
  open: 2,
  /** Lane 0. */
  data: 3,
  /** Lane 1. */
  dataErr: 4,
  /** u32: how many more bytes the receiver may send on the stream. */
  credit: 5,
  /** Empty: bytes are queued but there is no credit left, so the window is what limits this stream. */
  blocked: 6,
  eof: 7,
  /** JSON cause. On stream 0 the whole link ends. */
  close: 8,
  control: 9,
  /** u32 that the pong repeats. */
  ping: 10,
  pong: 11,
  goaway: 12,
} as const

export type FrameType = (typeof FRAME)[keyof typeof FRAME]

export const HEADER_BYTES = 9
export const MAX_CONTROL_BYTES = 64 * 1024
/** An exec request of 64 KiB with its environment fits. */
export const MAX_OPEN_BYTES = 256 * 1024
/** Data is passed on as it arrives, so this bounds how long one frame may occupy the connection, not memory. */
export const MAX_DATA_BYTES = 256 * 1024
export const MAX_HELLO_BYTES = 8 * 1024
const MAX_CAUSE_BYTES = 4 * 1024

/** Constraints on frames, indexed by type. */
const RULES: readonly ({ name: string; min: number; max: number; stream: 'none' | 'some' | 'any' } | undefined)[] = [
  undefined,
  { name: 'hello', min: 2, max: MAX_HELLO_BYTES, stream: 'none' },
  { name: 'open', min: 2, max: MAX_OPEN_BYTES, stream: 'some' },
  { name: 'data', min: 0, max: MAX_DATA_BYTES, stream: 'some' },
  { name: 'data-err', min: 0, max: MAX_DATA_BYTES, stream: 'some' },
  { name: 'credit', min: 4, max: 4, stream: 'some' },
  { name: 'blocked', min: 0, max: 0, stream: 'some' },
  { name: 'eof', min: 0, max: 0, stream: 'some' },
  { name: 'close', min: 0, max: MAX_CAUSE_BYTES, stream: 'any' },
  { name: 'control', min: 2, max: MAX_CONTROL_BYTES, stream: 'some' },
  { name: 'ping', min: 4, max: 4, stream: 'none' },
  { name: 'pong', min: 4, max: 4, stream: 'none' },
  { name: 'goaway', min: 0, max: MAX_CAUSE_BYTES, stream: 'none' },
]

/** Receiver of decoded frames. */
export interface FrameSink {
  /**
   * Bytes of a data frame; one frame may come in several pieces. They are only valid during the call.
   */
  data(stream: number, lane: Lane, bytes: Uint8Array): void
  /** Any other frame, whole. The payload is only valid during the call. */
  frame(type: FrameType, stream: number, payload: Uint8Array): void
}

/**
 * Decodes a byte stream into frames. `sink` may be replaced at any time, also from inside a call to it: the next frame
 * goes to the new one.
 */
export class FrameDecoder {
  sink: FrameSink
  /** Frame types accepted now; undefined: all. An unauthenticated peer gets no memory allocated for the others. */
  allowed: ReadonlySet<FrameType> | undefined
  #stopped = false
  /** The rule that was broken. */
  #fault: string | undefined
  /** A header that arrived in pieces; `#headerFilled` is `HEADER_BYTES` while a payload is being read. */
  readonly #header = new Uint8Array(HEADER_BYTES)
  #headerFilled = 0
  #type: FrameType = FRAME.data
  #stream = 0
  /** Payload bytes of the current frame still to come. */
  #missing = 0
  /** Payload of a frame that must be delivered whole and arrived in pieces. */
  #whole: Uint8Array | undefined

  constructor(sink: FrameSink, allowed?: ReadonlySet<FrameType>) {
    this.sink = sink
    this.allowed = allowed
  }

  /** Makes this and every later `push` do nothing. */
  stop(): void {
    this.#stopped = true
    this.#whole = undefined
  }

  /**
   * @param chunk the next bytes; not kept
   * @returns the rule that the bytes broke, worded for a log; the decoder is then stopped
   */
  push(chunk: Uint8Array): string | undefined {
    let at = 0
    while (!this.#stopped) {
      if (this.#headerFilled < HEADER_BYTES) {
        if (at === chunk.length) break
        at = this.#readHeader(chunk, at)
      } else {
        if (at === chunk.length && this.#missing > 0) break
        at = this.#readPayload(chunk, at)
      }
    }
    return this.#fault
  }

  #readHeader(chunk: Uint8Array, at: number): number {
    if (this.#headerFilled === 0 && chunk.length - at >= HEADER_BYTES) {
      this.#validateHeader(chunk, at)
      return at + HEADER_BYTES
    }
    const take = Math.min(HEADER_BYTES - this.#headerFilled, chunk.length - at)
    this.#header.set(chunk.subarray(at, at + take), this.#headerFilled)
    this.#headerFilled += take
    if (this.#headerFilled === HEADER_BYTES) this.#validateHeader(this.#header, 0)
    return at + take
  }

  #validateHeader(bytes: Uint8Array, at: number): void {
    const length = readUint32(bytes, at)
    const type = bytes[at + 4] ?? 0
    const stream = readUint32(bytes, at + 5)
    const rule = RULES[type]
    if (rule === undefined) return this.#refuse(`unknown frame type ${type}`)
    if (length < rule.min || length > rule.max) return this.#refuse(`${rule.name} frame of ${length} bytes`)
    if (rule.stream !== 'any' && (stream === 0) !== (rule.stream === 'none')) {
      return this.#refuse(`${rule.name} frame on stream ${stream}`)
    }
    if (this.allowed?.has(type as FrameType) === false) return this.#refuse(`${rule.name} frame during the handshake`)
    this.#type = type as FrameType
    this.#stream = stream
    this.#missing = length
    this.#headerFilled = HEADER_BYTES
  }

  #refuse(fault: string): void {
    this.#fault = fault
    this.stop()
  }

  /** Consumes what `chunk` holds of the current payload; returns the new position. */
  #readPayload(chunk: Uint8Array, at: number): number {
    const take = Math.min(this.#missing, chunk.length - at)
    const end = at + take
    this.#missing -= take
    if (this.#missing === 0) this.#headerFilled = 0
    if (this.#type === FRAME.data || this.#type === FRAME.dataErr) {
      if (take > 0) this.sink.data(this.#stream, this.#type === FRAME.data ? 0 : 1, chunk.subarray(at, end))
      return end
    }
    if (this.#missing === 0 && this.#whole === undefined) {
      this.sink.frame(this.#type, this.#stream, chunk.subarray(at, end))
      return end
    }
    const whole = (this.#whole ??= Buffer.allocUnsafe(take + this.#missing))
    whole.set(chunk.subarray(at, end), whole.length - this.#missing - take)
    if (this.#missing === 0) {
      this.#whole = undefined
      this.sink.frame(this.#type, this.#stream, whole)
    }
    return end
  }
}

/** Collects frames for one write. Small payloads are copied next to their headers, large ones are passed by reference. */
export class FrameBatch {
  #parts: Uint8Array[] = []
  #whenSent: (() => void)[] = []
  /** The current run of copied bytes: its block, and the range in it. */
  #run: Uint8Array = EMPTY
  #runFrom = 0
  #runTo = 0
  /** Bytes collected since the last `take`. */
  bytes = 0

  /**
   * @param payload the memory belongs to the batch from here on. The caller checks limits: a payload over the limit of
   *   its type makes the receiver end the link
   */
  add(type: FrameType, stream: number, payload: Uint8Array): void {
    this.begin(type, stream, payload.length)
    this.append(payload)
  }

  addUint32(type: FrameType, stream: number, value: number): void {
    this.begin(type, stream, 4)
    const at = this.#reserve(4)
    writeUint32(this.#run, at, value)
    this.bytes += 4
  }

  /** Begins a frame; exactly `length` bytes of payload must be appended. */
  begin(type: FrameType, stream: number, length: number): void {
    const at = this.#reserve(HEADER_BYTES)
    writeUint32(this.#run, at, length)
    this.#run[at + 4] = type
    writeUint32(this.#run, at + 5, stream)
    this.bytes += HEADER_BYTES
  }

  /** Appends to the payload of the current frame. */
  append(payload: Uint8Array): void {
    if (payload.length <= COPY_BYTES) {
      const at = this.#reserve(payload.length)
      this.#run.set(payload, at)
    } else {
      this.#endRun()
      this.#parts.push(payload)
    }
    this.bytes += payload.length
  }

  /** Registers a callback for the next {@link send}. */
  whenSent(done: () => void): void {
    this.#whenSent.push(done)
  }

  /** Sends everything collected, then runs the `whenSent` callbacks. @returns the result of `transport.send` */
  send(transport: { send(parts: readonly Uint8Array[]): boolean }): boolean {
    const writable = transport.send(this.take())
    if (this.#whenSent.length > 0) for (const done of this.#whenSent.splice(0)) done()
    return writable
  }

  /** The collected parts, in order; the batch is empty afterwards. */
  take(): Uint8Array[] {
    this.#endRun()
    const parts = this.#parts
    this.#parts = []
    this.bytes = 0
    return parts
  }

  /** Reserves space for `bytes` more copied bytes and returns its offset in `#run`. */
  #reserve(bytes: number): number {
    if (slabUsed + bytes > slab.length) {
      slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
      slabUsed = 0
    }
    if (this.#run !== slab || this.#runTo !== slabUsed) {
      this.#endRun()
      this.#run = slab
      this.#runFrom = slabUsed
    }
    const at = slabUsed
    slabUsed += bytes
    this.#runTo = slabUsed
    return at
  }

  #endRun(): void {
    if (this.#runTo > this.#runFrom) this.#parts.push(this.#run.subarray(this.#runFrom, this.#runTo))
    this.#run = EMPTY
    this.#runFrom = 0
    this.#runTo = 0
  }
}

export function readUint32(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0
  )
}

function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24
  bytes[at + 1] = value >>> 16
  bytes[at + 2] = value >>> 8
  bytes[at + 3] = value
}

const COPY_BYTES = 1_024
const SLAB_BYTES = 32 * 1024
const EMPTY = new Uint8Array(0)

// Headers and small payloads of all links share one block at a time; bytes handed out are never written again.
let slab: Uint8Array = EMPTY
let slabUsed = 0
