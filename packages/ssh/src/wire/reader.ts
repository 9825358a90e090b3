// Reads the data types of RFC 4251 section 5 from untrusted bytes. Every read names its field, checks the remaining
// bytes first and never copies: byte strings are views into the packet.

/** The bytes violate the protocol. The message names the field and the rule, never contents. */
export class WireError extends Error {
  override readonly name = 'WireError'
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A cursor over one packet or blob. */
export class WireReader {
  readonly #bytes: Uint8Array
  #offset: number

  /** @param offset index of the first byte to read */
  constructor(bytes: Uint8Array, offset = 0) {
    this.#bytes = bytes
    this.#offset = offset
  }

  /** Bytes not read yet. */
  get remaining(): number {
    return this.#bytes.length - this.#offset
  }

  #take(count: number, field: string): number {
    const start = this.#offset
    if (count > this.#bytes.length - start) {
      throw new WireError(`${field}: needs ${count} bytes, ${this.remaining} are left`)
    }
    this.#offset = start + count
    return start
  }

  /** @throws {WireError} when no byte is left */
  byte(field: string): number {
    return this.#bytes[this.#take(1, field)] ?? 0
  }

  /** Any value but 0 is true (RFC 4251 section 5). */
  boolean(field: string): boolean {
    return this.byte(field) !== 0
  }

  /** @returns 0 to 2^32-1 */
  uint32(field: string): number {
    const at = this.#take(4, field)
    const bytes = this.#bytes
    return (
      (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>>
      0
    )
  }

  uint64(field: string): bigint {
    return (BigInt(this.uint32(field)) << 32n) | BigInt(this.uint32(field))
  }

  /** `count` bytes without a length prefix. */
  bytes(count: number, field: string): Uint8Array {
    const at = this.#take(count, field)
    return this.#bytes.subarray(at, at + count)
  }

  /**
   * A length-prefixed byte string, as a view.
   * @param maxBytes longest allowed length, in bytes
   */
  string(field: string, maxBytes = Number.MAX_SAFE_INTEGER): Uint8Array {
    const length = this.uint32(field)
    if (length > maxBytes) throw new WireError(`${field}: ${length} bytes, at most ${maxBytes} are allowed`)
    return this.bytes(length, field)
  }

  /** A byte string that must be valid UTF-8. */
  text(field: string, maxBytes?: number): string {
    const bytes = this.string(field, maxBytes)
    try {
      return utf8.decode(bytes)
    } catch {
      throw new WireError(`${field}: not valid UTF-8`)
    }
  }

  /** A comma-separated list of printable US-ASCII names (RFC 4251 section 6). */
  nameList(field: string, maxBytes?: number): string[] {
    const bytes = this.string(field, maxBytes)
    for (const byte of bytes) {
      if (byte <= 0x20 || byte >= 0x7f) throw new WireError(`${field}: a name holds a byte that is not printable ASCII`)
    }
    return bytes.length === 0 ? [] : utf8.decode(bytes).split(',')
  }

  /** A non-negative integer as its big-endian magnitude without leading zeros (zero is empty). */
  mpint(field: string, maxBytes?: number): Uint8Array {
    const bytes = this.string(field, maxBytes)
    const first = bytes[0]
    if (first === undefined) return bytes
    if (first & 0x80) throw new WireError(`${field}: a negative integer`)
    if (first !== 0) return bytes
    if (((bytes[1] ?? 0) & 0x80) === 0) throw new WireError(`${field}: an integer with needless leading zeros`)
    return bytes.subarray(1)
  }

  /** All remaining bytes. */
  rest(): Uint8Array {
    return this.bytes(this.remaining, 'rest')
  }

  /** @throws {WireError} when bytes are left: the structure must be exactly this long */
  end(structure: string): void {
    if (this.remaining > 0) throw new WireError(`${structure}: ${this.remaining} bytes too many`)
  }
}
