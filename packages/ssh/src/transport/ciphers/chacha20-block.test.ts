// Tests that our block equals OpenSSL's for every key and sequence number.
import { createCipheriv } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { FirstBlock } from './chacha20-block.ts'

test('computes the same first block as OpenSSL', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.integer({ min: 0, max: 0xffff_ffff }),
      (keyBytes, sequence) => {
        const key = Buffer.from(keyBytes)
        const iv = Buffer.alloc(16)
        iv.writeUInt32BE(sequence, 12)
        const stream = createCipheriv('chacha20', key, iv).update(Buffer.alloc(64))
        const block = new FirstBlock(key)
        const macKey = Buffer.alloc(32)
        block.macKey(sequence, macKey)
        expect(macKey.equals(stream.subarray(0, 32))).toBe(true)
        expect(block.lengthMask(sequence)).toBe(stream.readInt32BE(0))
      },
    ),
  )
})
