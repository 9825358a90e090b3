// Copies of bytes on their way from one link to another, in memory that is used again: they arrive as views into what
// was read, which are only valid during the call.
import { BlockPool } from '@bowline/base/bytes/block-pool'
import type { Lane, LinkStream } from '@bowline/link/api'

/** Pieces are what one TLS record carries; longer ones get memory of their own. */
const BLOCK_BYTES = 16 * 1024
/** Shorter writes are merged by the stream, which copies them anyway. */
const SHORT_BYTES = 1_024
const blocks = new BlockPool(BLOCK_BYTES, 64)

/**
 * Writes a copy to `sink`.
 * @param bytes may be reused when this returns
 * @returns false when the sink is full
 */
export function writeCopy(sink: LinkStream, bytes: Uint8Array, lane: Lane): boolean {
  const { length } = bytes
  if (length <= SHORT_BYTES || length > BLOCK_BYTES) return sink.write(new Uint8Array(bytes), lane)
  const block = blocks.take()
  block.set(bytes)
  return sink.write(block.subarray(0, length), lane, () => blocks.release(block))
}
