// Writes the data types of RFC 4251 section 5 into one growing buffer.

const utf8 = new TextEncoder()

/** Appends fields; {@link WireWriter.done} returns the bytes. Methods return the writer for chaining. */
export class WireWriter {
  #bytes: Uint8Array<ArrayBuffer>
  #length = 0

  /** @param sizeHint bytes to reserve initially */
  constructor(sizeHint = 128) {
    this.#bytes = new Uint8Array(sizeHint)
  }

  #reserve(count: number): number {
    const at = this.#length
    const need = at + count
    if (need > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(need, this.#bytes.length * 2))
      grown.set(this.#bytes.subarray(0, at))
      this.#bytes = grown
    }
    this.#length = need
    return at
  }

  byte(value: number): this {
    const at = this.#reserve(1)
    this.#bytes[at] = value
    return this
  }

  boolean(value: boolean): this {
    return this.byte(value ? 1 : 0)
  }

  /** @param value 0 to 2^32-1 */
  uint32(value: number): this {
    const at = this.#reserve(4)
    const bytes = this.#bytes
    bytes[at] = value >>> 24
    bytes[at + 1] = value >>> 16
    bytes[at + 2] = value >>> 8
    bytes[at + 3] = value
    return this
  }

  uint64(value: bigint): this {
    return this.uint32(Number((value >> 32n) & 0xffffffffn)).uint32(Number(value & 0xffffffffn))
  }

  /** Bytes without a length prefix. */
  bytes(value: Uint8Array): this {
    const at = this.#reserve(value.length)
    this.#bytes.set(value, at)
    return this
  }

  /** A length-prefixed byte string; text is encoded as UTF-8. */
  string(value: Uint8Array | string): this {
    const bytes = typeof value === 'string' ? utf8.encode(value) : value
    return this.uint32(bytes.length).bytes(bytes)
  }

  nameList(names: readonly string[]): this {
    return this.string(names.join(','))
  }

  /** @param magnitude big-endian, non-negative; leading zeros are dropped */
  mpint(magnitude: Uint8Array): this {
    let start = 0
    while (start < magnitude.length && magnitude[start] === 0) start += 1
    const bytes = magnitude.subarray(start)
    if (((bytes[0] ?? 0) & 0x80) === 0) return this.string(bytes)
    return this.uint32(bytes.length + 1)
      .byte(0)
      .bytes(bytes)
  }

  /** The bytes written so far; the writer must not be used afterwards. */
  done(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }
}
