// Memory for lines on their way to the file, used again and again.
import { BlockPool } from '@bowline/base/bytes/block-pool'
import { BATCH_BYTES } from './batch.ts'

/** Escapes make a log a tenth longer; where they make it more than this, memory is found elsewhere. */
const BLOCK_BYTES = BATCH_BYTES * 1.5
/** Less than this is found elsewhere too: where thousands type, nobody holds a block for one character. */
const MIN_BYTES = 4_096
const blocks = new BlockPool(BLOCK_BYTES, 8)

/**
 * @param texts bytes, one character each ("latin1"), one text after the other
 * @returns the bytes; they are valid until they are released
 */
export function toBytes(texts: readonly string[]): { readonly bytes: Uint8Array; readonly release: () => void } {
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  const isPooled = length >= MIN_BYTES && length <= BLOCK_BYTES
  const memory = isPooled ? blocks.take() : Buffer.allocUnsafe(length)
  let end = 0
  for (const text of texts) end += memory.write(text, end, 'latin1')
  return { bytes: memory.subarray(0, end), release: () => void (isPooled && blocks.release(memory)) }
}
