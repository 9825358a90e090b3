// A channel's send queue, in order: data (subject to the client's window) and messages that must follow it (end of
// file, exit status, close). Data is copied on arrival, into blocks that hold one packet with room for its framing, so
// that the block itself can be sealed in place.
import { BlockPool } from '@bowline/base/bytes/block-pool'
import { IN_PLACE_AFTER, IN_PLACE_BEFORE } from '../transport/packet-writer.ts'
import { MAX_DATA_BYTES } from './receive-window.ts'

/** Space in front of the data for the head of its message (RFC 4254 section 5.2). */
const MESSAGE_HEAD_BYTES = 13
const DATA_AT = IN_PLACE_BEFORE + MESSAGE_HEAD_BYTES
const blocks = new BlockPool(DATA_AT + MAX_DATA_BYTES + IN_PLACE_AFTER, 32)
/** Less than this gets memory of its own size, so that queued bytes do not pin much more memory than they need. */
const MIN_BLOCK_BYTES = 8 * 1024

/** Data of one kind, or a finished message. */
export type OutputItem = DataItem | { readonly kind: 'message'; readonly payload: Uint8Array; readonly last: boolean }

export interface DataItem {
  readonly kind: 'data'
  readonly extended: number
  bytes: Uint8Array
  /** The block that `bytes` is the data part of, if any. */
  readonly block: Buffer | undefined
}

/** A packet's worth of data in a block, for {@link OutputQueue.takeBlock}. */
export interface PackedBlock {
  readonly block: Buffer
  /** Offset of the data; in front of it is space for the head of a message. */
  readonly from: number
  readonly to: number
}

/** A FIFO queue that tracks how much data it holds and how much of its first item has been sent. */
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

  /** Queues a packet behind the data. It is not counted: what sends such messages bounds how many there are. */
  pushMessage(payload: Uint8Array, last: boolean): void {
    this.#items.push({ kind: 'message', payload, last })
  }

  /** @param bytes are copied */
  pushData(bytes: Uint8Array, extended: number): void {
    this.dataBytes += bytes.length
    let rest = bytes
    const last = this.#items.at(-1)
    if (last?.kind === 'data' && last.extended === extended && last.block) rest = append(last, last.block, rest)
    while (rest.length >= MIN_BLOCK_BYTES) {
      const block = blocks.take()
      const item: DataItem = { kind: 'data', extended, bytes: block.subarray(DATA_AT, DATA_AT), block }
      this.#items.push(item)
      rest = append(item, block, rest)
    }
    if (rest.length > 0) this.#items.push({ kind: 'data', extended, bytes: Uint8Array.from(rest), block: undefined })
  }

  /**
   * Takes the first item's data as its block, when it is one whole packet of at most `maxBytes` bytes. {@link
   * releaseBlock} the block.
   */
  takeBlock(first: DataItem, maxBytes: number): PackedBlock | undefined {
    const { block, bytes } = first
    if (!block || this.#sent > 0 || bytes.length > maxBytes) return undefined
    // A partial packet that later items of its kind could fill up is assembled from parts instead.
    const next = this.#items[this.#head + 1]
    if (bytes.length < maxBytes && next?.kind === 'data' && next.extended === first.extended) return undefined
    this.dataBytes -= bytes.length
    this.#next()
    return { block, from: DATA_AT, to: DATA_AT + bytes.length }
  }

  releaseBlock({ block }: PackedBlock): void {
    blocks.release(block)
  }

  /**
   * Takes up to `maxBytes` bytes of data from the front: from the first item and those of its kind right behind it.
   * @returns parts that are valid until the next call
   */
  take(first: DataItem, maxBytes: number): Uint8Array[] {
    const parts: Uint8Array[] = []
    let left = maxBytes
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
    const item = this.first
    // Its parts may still be in use, but nothing is written to the block before they have been read.
    if (item?.kind === 'data' && item.block) blocks.release(item.block)
    this.#next()
  }

  /** Discards all data; messages stay. */
  dropData(): void {
    this.#items = this.#items.slice(this.#head).filter((item) => item.kind === 'message')
    this.#head = 0
    this.#sent = 0
    this.dataBytes = 0
  }

  #next(): void {
    this.#sent = 0
    this.#head += 1
    // Occasional compaction keeps both the array and the work small.
    if (this.#head >= 64 || this.#head === this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
  }
}

/** Copies as much as fits into a block; returns the rest. */
function append(item: DataItem, block: Buffer, bytes: Uint8Array): Uint8Array {
  const to = DATA_AT + item.bytes.length
  const count = Math.min(bytes.length, DATA_AT + MAX_DATA_BYTES - to)
  block.set(count === bytes.length ? bytes : bytes.subarray(0, count), to)
  item.bytes = block.subarray(DATA_AT, to + count)
  return bytes.subarray(count)
}
