// What a person has typed or pasted and the device has not taken yet. It is numbered from the first byte of the session
// and sent within a window; after a dropped connection it goes on where the server has stopped hearing.

export class PendingInput {
  readonly #pieces: Uint8Array[] = []
  /** Offset of the first byte of the first piece. */
  #start = 0
  #end = 0
  /** Offset of the next byte to send, and where it is. */
  #sent = 0
  #nextPiece = 0
  readonly #pieceBytes: number

  /** @param pieceBytes longest piece that is sent at once */
  constructor(pieceBytes: number) {
    this.#pieceBytes = pieceBytes
  }

  /** Bytes that the device has not taken. */
  get waitingBytes(): number {
    return this.#end - this.#start
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += this.#pieceBytes) {
      this.#pieces.push(bytes.slice(at, at + this.#pieceBytes))
    }
    this.#end += bytes.length
  }

  /** The next piece to send; undefined when there is none below `limit`, an offset. */
  next(limit: number): { offset: number; bytes: Uint8Array } | undefined {
    const bytes = this.#pieces[this.#nextPiece]
    if (!bytes || this.#sent + bytes.length > limit) return undefined
    const offset = this.#sent
    this.#sent += bytes.length
    this.#nextPiece += 1
    return { offset, bytes }
  }

  /** The device has taken everything before an offset. */
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

  /** Sends again from the first piece that has not arrived whole: the server drops what it has. */
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
