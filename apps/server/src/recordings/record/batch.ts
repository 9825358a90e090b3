// Buffers output to be recorded and then passed on, in order. Adjacent output becomes one run: one event of the file
// and one piece for the receiver. It is copied, large amounts into reused blocks, small ones into memory of their own,
// so that pending output holds little more memory than its bytes.
import type { CastCode } from '@bowline/asciicast/cast'
import { BlockPool } from '@bowline/base/bytes/block-pool'

/** Limit of bytes per write. */
export const BATCH_BYTES = 131_072
/** Limit of output per event: players read whole events to seek. */
const RUN_BYTES = 65_536
/** Output this much later starts a new run; this bounds the error of times in a recording. */
const RUN_MS = 50
const largeBlocks = new BlockPool(BATCH_BYTES, 16)
const blocks = new BlockPool(16_384, 64)
/** Below this, memory fits the output: while a disk stalls, thousands of typing users must not hold a block each. */
const MAX_WITHOUT_BLOCK = 1_024
const MIN_BYTES = 64
const NOTHING = Buffer.alloc(0)

/** Output of one lane. */
export interface Run {
  readonly kind: 'output'
  readonly lane: 0 | 1
  readonly atMs: number
  /** True if it is written to the file. */
  readonly isKept: boolean
  readonly pass: (bytes: Uint8Array) => void
  bytes: Uint8Array
}

export type Entry =
  | Run
  | { readonly kind: 'event'; readonly code: CastCode; readonly data: string; readonly atMs: number }
  | { readonly kind: 'act'; readonly act: () => void }

/** Holds up to one block. */
export class Batch {
  readonly entries: Entry[] = []
  #memory: Buffer = NOTHING
  readonly #borrowed: [BlockPool, Buffer][] = []
  #used = 0

  get isFull(): boolean {
    return this.#used === BATCH_BYTES
  }

  /** @returns number of bytes that fit and were copied */
  output(bytes: Uint8Array, from: Omit<Run, 'kind' | 'bytes'>): number {
    const last = this.entries.at(-1)
    const run = last?.kind === 'output' && goesOn(last, from) ? last : this.#begin(from)
    const room = Math.min(RUN_BYTES - run.bytes.length, BATCH_BYTES - this.#used)
    const count = Math.min(bytes.length, room)
    if (this.#used + count > this.#memory.length) this.#grow(this.#used + count)
    this.#memory.set(count === bytes.length ? bytes : bytes.subarray(0, count), this.#used)
    this.#used += count
    run.bytes = this.#memory.subarray(this.#used - run.bytes.length - count, this.#used)
    return count
  }

  #begin(from: Omit<Run, 'kind' | 'bytes'>): Run {
    const run: Run = { kind: 'output', ...from, bytes: this.#memory.subarray(this.#used, this.#used) }
    this.entries.push(run)
    return run
  }

  /** Copies the content into memory of at least `least` bytes; finished runs keep the old one. */
  #grow(least: number): void {
    const memory = this.#find(least)
    memory.set(this.#memory.subarray(0, this.#used))
    this.#memory = memory
  }

  #find(least: number): Buffer {
    if (least <= MAX_WITHOUT_BLOCK) {
      return Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(Math.max(least, MIN_BYTES))))
    }
    const pool = least <= blocks.blockBytes ? blocks : largeBlocks
    const block = pool.take()
    this.#borrowed.push([pool, block])
    return block
  }

  /** Frees its memory; its output must no longer be used. */
  release(): void {
    for (const [pool, block] of this.#borrowed) pool.release(block)
  }
}

/** True if output continues a run. */
function goesOn(run: Run, { lane, atMs, isKept }: Omit<Run, 'kind' | 'bytes'>): boolean {
  if (run.lane !== lane || run.isKept !== isKept) return false
  return run.bytes.length < RUN_BYTES && atMs - run.atMs < RUN_MS
}
