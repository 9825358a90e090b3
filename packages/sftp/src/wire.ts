// The two primitives of every message: a reader over received bytes and a writer into its own memory. Integers are
// big-endian, strings carry their length (RFC 4251 section 5).
import { Buffer } from '#buffer'

/** A packet is not valid for its type. The stream cannot be resynchronised: the session must end. */
export class MalformedPacket extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MalformedPacket'
  }
}

/** Reads from the front. Results are views of the packet: copy what is retained. */
export class WireReader {
  readonly #bytes: Buffer
  #offset = 0

  constructor(packet: Uint8Array) {
    this.#bytes = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength)
  }

  /** Bytes not read yet. */
  get left(): number {
    return this.#bytes.length - this.#offset
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#take(1))
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.#take(4))
  }

  uint64(): bigint {
    return this.#bytes.readBigUInt64BE(this.#take(8))
  }

  string(): Buffer {
    const length = this.uint32()
    const start = this.#take(length)
    return this.#bytes.subarray(start, start + length)
  }

  rest(): Buffer {
    return this.#bytes.subarray(this.#take(this.left))
  }

  #take(count: number): number {
    if (count > this.left) throw new MalformedPacket(`${count} bytes expected, ${this.left} left`)
    const start = this.#offset
    this.#offset += count
    return start
  }
}

const FIRST_BYTES = 512

/** Appends to a growing buffer. */
export class WireWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #length = 0

  get length(): number {
    return this.#length
  }

  byte(value: number): void {
    const start = this.#grow(1)
    this.#bytes.writeUInt8(value, start)
  }

  uint32(value: number): void {
    const start = this.#grow(4)
    this.#bytes.writeUInt32BE(value >>> 0, start)
  }

  uint64(value: bigint): void {
    const start = this.#grow(8)
    this.#bytes.writeBigUInt64BE(BigInt.asUintN(64, value), start)
  }

  string(value: Uint8Array): void {
    this.uint32(value.length)
    this.raw(value)
  }

  raw(value: Uint8Array): void {
    const start = this.#grow(value.length)
    this.#bytes.set(value, start)
  }

  /** Overwrites four bytes that were written earlier. */
  patchUint32(offset: number, value: number): void {
    this.#bytes.writeUInt32BE(value, offset)
  }

  /** The bytes written so far: a view of the writer's memory. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Reserves space; growing replaces the buffer, so take it only afterwards. @returns the offset of the space */
  #grow(count: number): number {
    const start = this.#length
    this.#length += count
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#length, this.#bytes.length * 2))
      this.#bytes.copy(larger, 0, 0, start)
      this.#bytes = larger
    }
    return start
  }
}
