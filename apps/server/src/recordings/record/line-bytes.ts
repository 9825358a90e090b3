// Reused memory for lines to be written.
import { BlockPool } from '@bowline/base/bytes/block-pool'
import { BATCH_BYTES } from './batch.ts'

/** Escapes make a log a tenth longer; beyond this factor memory is allocated. */
const BLOCK_BYTES = BATCH_BYTES * 1.5
/** Smaller texts are allocated too: with thousands of typing users, none should hold a block for one character. */
const MIN_BYTES = 4_096
const blocks = new BlockPool(BLOCK_BYTES, 8)

/**
 * @param texts texts to concatenate, of bytes as one character each ("latin1")
 * @returns the bytes, valid until released
 */
export function toBytes(texts: readonly string[]): { readonly bytes: Uint8Array; readonly release: () => void } {
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  const isPooled = length >= MIN_BYTES && length <= BLOCK_BYTES
  const memory = isPooled ? blocks.take() : Buffer.allocUnsafe(length)
  let end = 0
  for (const text of texts) end += memory.write(text, end, 'latin1')
  return { bytes: memory.subarray(0, end), release: () => void (isPooled && blocks.release(memory)) }
}
