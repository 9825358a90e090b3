// The order of what several people type into one terminal. A channel returns credit for bytes in the order it was given
// them: each of its confirmations belongs to whoever typed those bytes.

/** @returns credit to the one who typed the bytes */
type Consumed = (count: number) => void

interface Piece {
  readonly consumed: Consumed
  count: number
}

export class TypedInput {
  readonly #pieces: Piece[] = []

  /** Notes bytes that go to the channel next. @param consumed always the same function for the same person */
  push(count: number, consumed: Consumed): void {
    const last = this.#pieces.at(-1)
    if (last?.consumed === consumed) last.count += count
    else this.#pieces.push({ consumed, count })
  }

  /** The channel has taken so many bytes. */
  take(count: number): void {
    let left = count
    while (left > 0) {
      const [first] = this.#pieces
      if (!first) return
      const taken = Math.min(left, first.count)
      first.count -= taken
      left -= taken
      if (first.count === 0) this.#pieces.shift()
      first.consumed(taken)
    }
  }
}
