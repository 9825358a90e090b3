// Memory for bytes that pass through, used again and again. A fresh buffer for each piece costs more than what is done
// with it: the allocator, the garbage collector and cold caches together took a third of the time of bulk transfers.
import { Buffer } from 'node:buffer'

export class BlockPool {
  readonly blockBytes: number
  readonly #kept: Buffer[] = []
  readonly #keptMost: number

  /**
   * @param blockBytes of every block
   * @param keptMost blocks that wait here for their next use; more than that are left to the garbage collector
   */
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
