// Send buffer for typed and pasted input that the device has not acknowledged. Bytes are numbered from the start of the
// session and sent within a window (flow control); after a reconnect sending resumes at the server's offset.

export class PendingInput {
  readonly #pieces: Uint8Array[] = []
  /** Offset of the first byte of the first piece. */
  #start: number
  #end: number
  /** Offset of the next byte to send, and its position in `pieces`. */
  #sent: number
  #nextPiece = 0
  readonly #pieceBytes: number

  /**
   * @param pieceBytes largest chunk sent at once
   * @param offset of the first byte: of a session that goes on, what the device has acknowledged
   */
  constructor(pieceBytes: number, offset = 0) {
    this.#pieceBytes = pieceBytes
    this.#start = offset
    this.#end = offset
    this.#sent = offset
  }

  /** Unacknowledged bytes. */
  get waitingBytes(): number {
    return this.#end - this.#start
  }

  /** The unacknowledged bytes, and the offset of the first. */
  get waiting(): { readonly offset: number; readonly bytes: Uint8Array } {
    const bytes = new Uint8Array(this.waitingBytes)
    let at = 0
    for (const piece of this.#pieces) {
      bytes.set(piece, at)
      at += piece.length
    }
    return { offset: this.#start, bytes }
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += this.#pieceBytes) {
      this.#pieces.push(bytes.slice(at, at + this.#pieceBytes))
    }
    this.#end += bytes.length
  }

  /** The next chunk to send; undefined when there is none below the offset `limit`. */
  next(limit: number): { offset: number; bytes: Uint8Array } | undefined {
    const bytes = this.#pieces[this.#nextPiece]
    if (!bytes || this.#sent + bytes.length > limit) return undefined
    const offset = this.#sent
    this.#sent += bytes.length
    this.#nextPiece += 1
    return { offset, bytes }
  }

  /** Acknowledges everything before an offset. */
  release(total: number): void {
    let count = 0
    for (const piece of this.#pieces) {
      if (this.#start + piece.length > total) break
      this.#start += piece.length
      count += 1
    }
    this.#pieces.splice(0, count)
    this.#nextPiece = Math.max(0, this.#nextPiece - count)
  }

  /** Rewinds to the first chunk that is not fully acknowledged: the server discards duplicates. */
  rewind(received: number): void {
    this.#sent = this.#start
    this.#nextPiece = 0
    for (const piece of this.#pieces) {
      if (this.#sent + piece.length > received) break
      this.#sent += piece.length
      this.#nextPiece += 1
    }
  }
}
