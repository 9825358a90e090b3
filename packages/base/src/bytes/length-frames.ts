// Frames in a stream of bytes, each behind its length as u32, big-endian.

const LENGTH_BYTES = 4

/** A frame with its length. */
export function withLength(payload: Uint8Array): Buffer<ArrayBuffer> {
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + payload.length)
  frame.writeUInt32BE(payload.length)
  frame.set(payload, LENGTH_BYTES)
  return frame
}

/**
 * Takes frames out of the pieces that they arrive in. Each byte is copied once, however small the pieces are, and no more is
 * held than what arrived of one frame.
 */
export class LengthFrames {
  readonly #maxBytes: number
  readonly #deliver: (frame: Buffer<ArrayBuffer>) => void
  #pieces: Uint8Array[] = []
  #held = 0
  /** Of the frame that arrives, with its length; undefined until that is known. */
  #wanted: number | undefined

  /**
   * @param maxBytes longest frame
   * @param deliver takes a frame, whose memory is its own
   */
  constructor(maxBytes: number, deliver: (frame: Buffer<ArrayBuffer>) => void) {
    this.#maxBytes = maxBytes
    this.#deliver = deliver
  }

  /** @returns false when a frame is longer than the limit: nothing after it is a frame */
  push(bytes: Uint8Array): boolean {
    // The memory of a piece is the caller's again after this.
    this.#pieces.push(Uint8Array.from(bytes))
    this.#held += bytes.length
    for (;;) {
      if (this.#wanted === undefined) {
        if (this.#held < LENGTH_BYTES) return true
        const length = this.#join().readUInt32BE()
        if (length > this.#maxBytes) return false
        this.#wanted = LENGTH_BYTES + length
      }
      if (this.#held < this.#wanted) return true
      const all = this.#join()
      const frame = all.subarray(LENGTH_BYTES, this.#wanted)
      const rest = all.subarray(this.#wanted)
      this.#pieces = rest.length === 0 ? [] : [rest]
      this.#held = rest.length
      this.#wanted = undefined
      this.#deliver(frame)
    }
  }

  /** What is held, in one piece. */
  #join(): Buffer<ArrayBuffer> {
    const [only] = this.#pieces
    if (this.#pieces.length === 1 && Buffer.isBuffer(only)) return only as Buffer<ArrayBuffer>
    const all = Buffer.concat(this.#pieces)
    this.#pieces = [all]
    return all
  }
}
