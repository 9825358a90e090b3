// WebSocket framing (RFC 6455 section 5) for the link: a byte stream in binary messages. Payload is passed on as it
// arrives and unmasked in place, so no message is ever buffered whole and an announced length costs no memory.

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export interface WebSocketSink {
  /** Payload of data messages, in order; only valid during the call. */
  bytes(piece: Uint8Array): void
  /** A ping to be answered with this payload, at most 125 bytes. */
  ping(payload: Uint8Array): void
  /** The peer sent a close frame: status code (1005 when it gave none), reason as claimed by the peer. */
  close(code: number, reason: string): void
}

/** A protocol rule that a peer has broken. */
export interface WebSocketFault {
  /** Status code sent to the peer (RFC 6455 section 7.4.1): 1002 for a protocol error, 1009 for a long message. */
  readonly code: 1002 | 1009
  /** The rule, worded for a log. */
  readonly message: string
}

/** Longest accepted message. Nothing is buffered, so this only stops a peer that is out of sync. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
const MAX_CONTROL_BYTES = 125
const MASK_BYTES = 4
const NO_BYTES = new Uint8Array(0)

/** Decodes what one peer sends. */
export class WebSocketDecoder {
  readonly #sink: WebSocketSink
  readonly #masked: boolean
  #fault: WebSocketFault | undefined
  #ended = false
  readonly #header = new Uint8Array(14)
  #headerFilled = 0
  #headerBytes = 2
  #inPayload = false
  #opcode = 0
  /** Inside a fragmented data message. */
  #fragmented = false
  #messageBytes = 0
  #missing = 0
  #position = 0
  readonly #mask = new Uint8Array(MASK_BYTES)
  /** Payload of a control frame so far. */
  #control = NO_BYTES

  /** @param masked whether the peer must mask (it is the client) or must not (it is the server) */
  constructor(masked: boolean, sink: WebSocketSink) {
    this.#masked = masked
    this.#sink = sink
  }

  /**
   * @param chunk the next bytes; not kept, but unmasked in place
   * @returns the rule that the bytes broke; nothing is decoded after that, nor after a close frame
   */
  push(chunk: Uint8Array): WebSocketFault | undefined {
    let at = 0
    while (at < chunk.length && !this.#ended) {
      at = this.#inPayload ? this.#readPayload(chunk, at) : this.#readHeader(chunk, at)
    }
    return this.#fault
  }

  #readHeader(chunk: Uint8Array, from: number): number {
    let at = from
    while (this.#headerFilled < this.#headerBytes) {
      if (at === chunk.length) return at
      this.#header[this.#headerFilled] = chunk[at] ?? 0
      this.#headerFilled += 1
      at += 1
      if (this.#headerFilled === 2 && !this.#validateHeader()) return at
    }
    this.#headerFilled = 0
    this.#headerBytes = 2
    this.#start()
    return at
  }

  #lengthBytes(): number {
    const short = (this.#header[1] ?? 0) & 0x7f
    return short === 127 ? 8 : short === 126 ? 2 : 0
  }

  /** Validates the first two bytes, which determine the header's length. */
  #validateHeader(): boolean {
    const first = this.#header[0] ?? 0
    const second = this.#header[1] ?? 0
    const masked = (second & 0x80) !== 0
    if ((first & 0x70) !== 0) this.#refuse('a reserved bit is set')
    else if (masked !== this.#masked) this.#refuse(masked ? 'masked frame' : 'unmasked frame')
    else this.#headerBytes = 2 + this.#lengthBytes() + (masked ? MASK_BYTES : 0)
    return !this.#ended
  }

  #start(): void {
    const first = this.#header[0] ?? 0
    const opcode = first & 0x0f
    const final = (first & 0x80) !== 0
    const length = this.#length()
    if (opcode >= OPCODE.close) {
      if (opcode > OPCODE.pong) return this.#refuse(`unknown opcode ${opcode}`)
      if (!final || length > MAX_CONTROL_BYTES) return this.#refuse('a control frame is long or fragmented')
      this.#control = new Uint8Array(length)
    } else {
      if (opcode !== (this.#fragmented ? OPCODE.continuation : OPCODE.binary)) {
        return this.#refuse(`a frame with opcode ${opcode} where a binary message was due`)
      }
      this.#messageBytes = (this.#fragmented ? this.#messageBytes : 0) + length
      if (this.#messageBytes > MAX_MESSAGE_BYTES) return this.#refuse('a message exceeds 16 MiB', 1009)
      this.#fragmented = !final
    }
    this.#opcode = opcode
    this.#missing = length
    this.#position = 0
    const maskAt = 2 + this.#lengthBytes()
    for (let at = 0; at < MASK_BYTES; at += 1) this.#mask[at] = this.#header[maskAt + at] ?? 0
    if (length > 0) this.#inPayload = true
    else if (opcode >= OPCODE.close) this.#controlFrame()
  }

  #length(): number {
    const lengthBytes = this.#lengthBytes()
    if (lengthBytes === 0) return (this.#header[1] ?? 0) & 0x7f
    let length = 0
    for (let at = 2; at < 2 + lengthBytes; at += 1) length = length * 256 + (this.#header[at] ?? 0)
    return length
  }

  #readPayload(chunk: Uint8Array, at: number): number {
    const end = at + Math.min(this.#missing, chunk.length - at)
    const piece = chunk.subarray(at, end)
    if (this.#masked) applyMask(piece, this.#mask, this.#position)
    const position = this.#position
    this.#position += piece.length
    this.#missing -= piece.length
    if (this.#missing === 0) this.#inPayload = false
    if (this.#opcode < OPCODE.close) this.#sink.bytes(piece)
    else {
      this.#control.set(piece, position)
      if (this.#missing === 0) this.#controlFrame()
    }
    return end
  }

  #controlFrame(): void {
    const payload = this.#control
    if (this.#opcode === OPCODE.ping) return this.#sink.ping(payload)
    if (this.#opcode === OPCODE.pong) return
    this.#ended = true
    if (payload.length === 1) return this.#refuse('a close frame of one byte')
    const code = payload.length === 0 ? 1005 : ((payload[0] ?? 0) << 8) | (payload[1] ?? 0)
    this.#sink.close(code, Buffer.from(payload.subarray(2)).toString('utf8'))
  }

  #refuse(message: string, code: WebSocketFault['code'] = 1002): void {
    this.#ended = true
    this.#fault = { code, message }
  }
}

/**
 * Header of one unfragmented frame.
 * @param mask 4 bytes when this side is the client
 */
export function frameHeader(opcode: number, length: number, mask?: Uint8Array): Uint8Array {
  const lengthBytes = length < 126 ? 0 : length < 0x1_0000 ? 2 : 8
  const header = Buffer.allocUnsafe(2 + lengthBytes + (mask ? MASK_BYTES : 0))
  header[0] = 0x80 | opcode
  header[1] = (mask ? 0x80 : 0) | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127)
  if (lengthBytes === 2) header.writeUInt16BE(length, 2)
  if (lengthBytes === 8) {
    header.writeUInt32BE(Math.floor(length / 2 ** 32), 2)
    header.writeUInt32BE(length % 2 ** 32, 6)
  }
  if (mask) header.set(mask, 2 + lengthBytes)
  return header
}

/**
 * Masks or unmasks `bytes` in place (RFC 6455 section 5.3), eight bytes at a time where they are aligned.
 * @param position of the first byte in the message
 */
export function applyMask(bytes: Uint8Array, mask: Uint8Array, position: number): void {
  if (((mask[0] ?? 0) | (mask[1] ?? 0) | (mask[2] ?? 0) | (mask[3] ?? 0)) === 0) return
  const at = (index: number): number => mask[(position + index) & 3] ?? 0
  const { length } = bytes
  const from = Math.min(-bytes.byteOffset & 7, length)
  const count = (length - from) >> 3
  const to = from + count * 8
  for (let index = 0; index < from; index += 1) bytes[index] = (bytes[index] ?? 0) ^ at(index)
  for (let index = to; index < length; index += 1) bytes[index] = (bytes[index] ?? 0) ^ at(index)
  if (count === 0) return
  // Both sides of the exclusive-or are in memory order, so this is right on either byte order.
  const key = new BigUint64Array(Uint8Array.from({ length: 8 }, (_, index) => at(from + index)).buffer)[0] ?? 0n
  const words = new BigUint64Array(bytes.buffer, bytes.byteOffset + from, count)
  for (let index = 0; index < count; index += 1) words[index] = (words[index] ?? 0n) ^ key
}
