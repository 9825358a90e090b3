// Output not yet confirmed by the browser, addressed by offset from the first byte of the session. It is copied into
// pages: a few bytes must not keep the large buffer alive that they arrived in.

const PAGE_BYTES = 32 * 1024

export class RetainedOutput {
  readonly #pages: Uint8Array[] = []
  /** Offset of the first byte of the first page. */
  #base = 0
  #start = 0
  #end = 0

  /** Offset of the first retained byte. */
  get start(): number {
    return this.#start
  }

  /** Offset after the last byte. */
  get end(): number {
    return this.#end
  }

  append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const within = (this.#end - this.#base) % PAGE_BYTES
      if (this.#end - this.#base === this.#pages.length * PAGE_BYTES) this.#pages.push(new Uint8Array(PAGE_BYTES))
      const piece = bytes.subarray(at, at + PAGE_BYTES - within)
      this.#pages.at(-1)?.set(piece, within)
      at += piece.length
      this.#end += piece.length
    }
  }

  /** Drops everything before an offset. @returns false when the offset is outside the retained range */
  release(upTo: number): boolean {
    if (upTo < this.#start || upTo > this.#end) return false
    this.#start = upTo
    // An idle terminal holds nothing.
    const pages = upTo === this.#end ? this.#pages.length : Math.floor((upTo - this.#base) / PAGE_BYTES)
    this.#pages.splice(0, pages)
    this.#base = this.#pages.length === 0 ? upTo : this.#base + pages * PAGE_BYTES
    return true
  }

  /** The retained bytes between two offsets, in contiguous parts; valid until the next change. */
  *pieces(from: number, until: number): Generator<Uint8Array, void, undefined> {
    for (let at = from; at < until;) {
      const page = this.#pages[Math.floor((at - this.#base) / PAGE_BYTES)]
      if (!page) return
      const within = (at - this.#base) % PAGE_BYTES
      const piece = page.subarray(within, within + until - at)
      at += piece.length
      yield piece
    }
  }
}
