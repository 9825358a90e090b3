// What a channel still has to send, in order: data (subject to the client's window) and messages that must follow it
// (end of file, exit status, close).

/** Data of one kind, or a finished message. */
export type OutputItem =
  | { readonly kind: 'data'; readonly bytes: Uint8Array; readonly extended: number }
  | { readonly kind: 'message'; readonly payload: Uint8Array; readonly last: boolean }

/** A first-in first-out queue that knows how much data it holds and how far its first item has been sent. */
export class OutputQueue {
  #items: OutputItem[] = []
  #head = 0
  #sent = 0
  /** Bytes of data not taken yet. */
  dataBytes = 0

  get empty(): boolean {
    return this.#head === this.#items.length
  }

  get first(): OutputItem | undefined {
    return this.#items[this.#head]
  }

  push(item: OutputItem): void {
    if (item.kind === 'data') this.dataBytes += item.bytes.length
    this.#items.push(item)
  }

  /** Takes up to `most` bytes of data from the front: of the first item and those of its kind right behind it. */
  take(first: OutputItem & { kind: 'data' }, most: number): Uint8Array[] {
    const parts: Uint8Array[] = []
    let left = most
    for (
      let item = this.first;
      item?.kind === 'data' && item.extended === first.extended && left > 0;
      item = this.first
    ) {
      const end = Math.min(item.bytes.length, this.#sent + left)
      const part = item.bytes.subarray(this.#sent, end)
      parts.push(part)
      left -= part.length
      this.dataBytes -= part.length
      this.#sent = end
      if (end === item.bytes.length) this.drop()
    }
    return parts
  }

  /** Removes the first item. */
  drop(): void {
    this.#sent = 0
    this.#head += 1
    // Compacting now and then keeps both the array and the work small.
    if (this.#head >= 64 || this.#head === this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
  }

  /** Forgets all data; messages stay. */
  dropData(): void {
    this.#items = this.#items.slice(this.#head).filter((item) => item.kind === 'message')
    this.#head = 0
    this.#sent = 0
    this.dataBytes = 0
  }
}
