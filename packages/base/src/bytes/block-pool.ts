// Reused memory for bytes that pass through. A fresh buffer for each piece costs more than what is done with it: the
// allocator, the garbage collector and cold caches together took a third of the time of bulk transfers.
import { Buffer } from 'node:buffer'

/** Blocks of one size. */
export class BlockPool {
  readonly blockBytes: number
  readonly #kept: Buffer[] = []
  readonly #maxKept: number

  /**
   * @param blockBytes size of every block
   * @param maxKept blocks kept for reuse; more are left to the garbage collector
   */
  constructor(blockBytes: number, maxKept: number) {
    this.blockBytes = blockBytes
    this.#maxKept = maxKept
  }

  /** A block with whatever it held last. */
  take(): Buffer {
    return this.#kept.pop() ?? Buffer.allocUnsafeSlow(this.blockBytes)
  }

  /** Returns a block that nobody reads any more. A block that is never released is garbage collected. */
  release(block: Buffer): void {
    if (this.#kept.length < this.#maxKept) this.#kept.push(block)
  }
}
