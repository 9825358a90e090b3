// Frames of yamux: twelve bytes of header, big endian, then payload in frames of type `data`. Payload is passed on as it
// arrives, so an announced length costs no memory.

export const FRAME = { data: 0, windowUpdate: 1, ping: 2, goAway: 3 } as const
export const FLAG = { syn: 1, ack: 2, fin: 4, rst: 8 } as const

export const HEADER_BYTES = 12
const VERSION = 0

export interface FrameHeader {
  /** One of {@link FRAME}. */
  readonly type: number
  /** Bits of {@link FLAG}. */
  readonly flags: number
  /** 0 for pings and go-away. */
  readonly stream: number
  /** Bytes of payload, difference of a window, value of a ping, or code of a go-away. */
  readonly length: number
}

export function encodeHeader({ type, flags, stream, length }: FrameHeader): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header[0] = VERSION
  header[1] = type
  header.writeUInt16BE(flags, 2)
  header.writeUInt32BE(stream, 4)
  header.writeUInt32BE(length, 8)
  return header
}

export interface FrameSink {
  /** @returns the rule that the frame breaks; undefined when none. Nothing is decoded after a broken one */
  frame(header: FrameHeader): string | undefined
  /** A piece of the payload of the last frame; only valid during the call. */
  payload(stream: number, piece: Uint8Array): void
}

export class FrameDecoder {
  readonly #sink: FrameSink
  readonly #header = Buffer.alloc(HEADER_BYTES)
  #filled = 0
  #missing = 0
  #stream = 0
  #fault: string | undefined

  constructor(sink: FrameSink) {
    this.#sink = sink
  }

  /** @returns the rule that the bytes have broken, in words for a log; undefined while none is */
  push(chunk: Uint8Array): string | undefined {
    let at = 0
    while (at < chunk.length && this.#fault === undefined) {
      at = this.#missing > 0 ? this.#payload(chunk, at) : this.#head(chunk, at)
    }
    return this.#fault
  }

  #head(chunk: Uint8Array, from: number): number {
    const end = Math.min(chunk.length, from + HEADER_BYTES - this.#filled)
    this.#header.set(chunk.subarray(from, end), this.#filled)
    this.#filled += end - from
    if (this.#filled < HEADER_BYTES) return end
    this.#filled = 0
    const header = {
      type: this.#header.readUInt8(1),
      flags: this.#header.readUInt16BE(2),
      stream: this.#header.readUInt32BE(4),
      length: this.#header.readUInt32BE(8),
    }
    if (this.#header[0] !== VERSION) this.#fault = `version ${this.#header[0]} of a frame`
    else if (header.type > FRAME.goAway) this.#fault = `type ${header.type} of a frame`
    else this.#fault = this.#sink.frame(header)
    if (header.type === FRAME.data) {
      this.#missing = header.length
      this.#stream = header.stream
    }
    return end
  }

  #payload(chunk: Uint8Array, from: number): number {
    const end = Math.min(chunk.length, from + this.#missing)
    this.#missing -= end - from
    this.#sink.payload(this.#stream, chunk.subarray(from, end))
    return end
  }
}
