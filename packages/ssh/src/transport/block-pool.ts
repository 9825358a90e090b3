// Memory for bytes that pass through, used again and again: a fresh buffer for each packet costs more than to encrypt it.
// packages/link has its own: neither package imports the other, and each is to be had by itself.

/** Blocks of one size. */
export class BlockPool {
  readonly blockBytes: number
  readonly #kept: Buffer[] = []
  readonly #keptMost: number

  /** @param keptMost blocks that wait here for their next use; more are left to the garbage collector */
  constructor(blockBytes: number, keptMost: number) {
    this.blockBytes = blockBytes
    this.#keptMost = keptMost
  }

  /** A block with whatever it held last. */
  take(): Buffer {
    return this.#kept.pop() ?? Buffer.allocUnsafeSlow(this.blockBytes)
  }

  /** Nobody looks at the block any more. Not giving it back is no harm. */
  giveBack(block: Buffer): void {
    if (this.#kept.length < this.#keptMost) this.#kept.push(block)
  }
}
