// Splits a byte stream into packets: a length, then that many bytes (draft section 3). Memory is bounded by the largest
// allowed packet, whatever arrives.
import { Buffer } from '#buffer'
import { MAX_PACKET_BYTES } from './protocol.ts'
import { MalformedPacket } from './wire.ts'

const LENGTH_BYTES = 4
const FIRST_BYTES = 32 * 1024

/**
 * Buffers bytes and returns whole packets. Either `push` bytes, or read directly into `space` and report the count with
 * `filled`. Consume all packets with `next` before adding more.
 */
export class PacketBuffer {
  readonly #maxBytes: number
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  /** Range in use. */
  #start = 0
  #end = 0

  /** @param maxBytes of one packet without its length; more is malformed */
  constructor(maxBytes: number = MAX_PACKET_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** Buffered bytes of an incomplete packet. */
  get length(): number {
    return this.#end - this.#start
  }

  /** The next whole packet, starting with its type: a view that is valid until more bytes are added. */
  next(): Buffer | undefined {
    const length = this.#nextLength()
    if (length === undefined || this.length < LENGTH_BYTES + length) return undefined
    const from = this.#start + LENGTH_BYTES
    this.#start = from + length
    return this.#bytes.subarray(from, from + length)
  }

  /**
   * Free memory to read into: never empty, and enough for the rest of the current packet.
   * @throws {MalformedPacket} when the current packet is not allowed
   */
  space(): Buffer {
    const wanted = LENGTH_BYTES + (this.#nextLength() ?? 0)
    if (this.#start > 0) {
      this.#bytes.copy(this.#bytes, 0, this.#start, this.#end)
      this.#end -= this.#start
      this.#start = 0
    }
    if (wanted > this.#bytes.length || this.#end === this.#bytes.length) this.#grow(wanted)
    return this.#bytes.subarray(this.#end)
  }

  /** Reports how many bytes of `space` have been filled. */
  filled(count: number): void {
    this.#end += count
  }

  /** Yields all packets that these bytes complete, in order. @throws {MalformedPacket} */
  *push(bytes: Uint8Array): Generator<Buffer> {
    for (let offset = 0; offset < bytes.length;) {
      const space = this.space()
      const piece = bytes.subarray(offset, offset + space.length)
      space.set(piece)
      this.filled(piece.length)
      offset += piece.length
      for (let packet = this.next(); packet; packet = this.next()) yield packet
    }
  }

  #nextLength(): number | undefined {
    if (this.length < LENGTH_BYTES) return undefined
    const length = this.#bytes.readUInt32BE(this.#start)
    if (length === 0 || length > this.#maxBytes) throw new MalformedPacket(`a packet of ${length} bytes`)
    return length
  }

  #grow(wanted: number): void {
    const most = 2 * (LENGTH_BYTES + this.#maxBytes)
    const larger = Buffer.allocUnsafe(Math.max(wanted, Math.min(most, this.#bytes.length * 4)))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
  }
}
