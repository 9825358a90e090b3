// Stands in for Node's Buffer in browsers: as much of it as the codec uses, with the same names and results.

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

class Bytes extends Uint8Array {
  get #view(): DataView {
    return new DataView(this.buffer, this.byteOffset, this.byteLength)
  }

  readUInt8(offset: number): number {
    return this.#view.getUint8(offset)
  }

  readUInt32BE(offset: number): number {
    return this.#view.getUint32(offset)
  }

  readBigUInt64BE(offset: number): bigint {
    return this.#view.getBigUint64(offset)
  }

  writeUInt8(value: number, offset: number): void {
    this.#view.setUint8(offset, value)
  }

  writeUInt32BE(value: number, offset: number): void {
    this.#view.setUint32(offset, value)
  }

  writeBigUInt64BE(value: bigint, offset: number): void {
    this.#view.setBigUint64(offset, value)
  }

  copy(target: Uint8Array, targetStart = 0, start = 0, end = this.length): void {
    target.set(this.subarray(start, end), targetStart)
  }

  /** A view, which is of the same kind by the species of arrays. */
  override subarray(start?: number, end?: number): Bytes {
    return super.subarray(start, end) as Bytes
  }

  /** As UTF-8. */
  override toString(): string {
    return decoder.decode(this)
  }
}

export const Buffer = {
  allocUnsafe: (size: number): Bytes => new Bytes(size),

  /** A view of memory, or the bytes of a text in UTF-8. */
  from(source: ArrayBuffer | string, offset?: number, length?: number): Bytes {
    if (typeof source !== 'string') return new Bytes(source, offset, length)
    const bytes = encoder.encode(source)
    return new Bytes(bytes.buffer, bytes.byteOffset, bytes.length)
  },

  concat(parts: readonly Uint8Array[]): Bytes {
    const whole = new Bytes(parts.reduce((total, { length }) => total + length, 0))
    let at = 0
    for (const part of parts) {
      whole.set(part, at)
      at += part.length
    }
    return whole
  },
}
