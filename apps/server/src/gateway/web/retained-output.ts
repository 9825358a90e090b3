// Output not yet confirmed by the browser, addressed by offset from the first byte of the session. It is copied into
// pages: a few bytes must not keep the large buffer alive that they arrived in.
import { TERMINAL } from '@bowline/contract/terminal/messages'

/** As much as a frame has. */
const PAGE_BYTES = TERMINAL.pieceBytes

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

  /** Contiguous bytes from an offset, at most `max`; valid until the next change. */
  piece(from: number, max: number): Uint8Array {
    const at = from - this.#base
    const page = this.#pages[Math.floor(at / PAGE_BYTES)]
    const within = at % PAGE_BYTES
    return page?.subarray(within, within + Math.min(max, this.#end - from)) ?? new Uint8Array(0)
  }
}
