import { Buffer as NodeBuffer } from 'node:buffer'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Buffer } from './browser-buffer.ts'

const memory = fc.uint8Array({ minLength: 16, maxLength: 64 })
const views = (array: Uint8Array) => {
  const buffer = array.slice().buffer
  return [NodeBuffer.from(buffer, 3, 13), Buffer.from(buffer, 3, 13)] as const
}

describe('the Buffer of browsers', () => {
  it('reads and writes numbers as Node’s does', () => {
    fc.assert(
      fc.property(memory, fc.nat(5), fc.nat(0xffff_ffff), (array, at, value) => {
        const [node, own] = views(array)
        expect(own.readUInt8(at)).toBe(node.readUInt8(at))
        expect(own.readUInt32BE(at)).toBe(node.readUInt32BE(at))
        expect(own.readBigUInt64BE(at)).toBe(node.readBigUInt64BE(at))
        own.writeUInt32BE(value, at)
        expect(node.readUInt32BE(at)).toBe(value)
        own.writeBigUInt64BE(BigInt(value) << 32n, at)
        expect(node.readBigUInt64BE(at)).toBe(BigInt(value) << 32n)
        own.writeUInt8(value & 255, at)
        expect(node.readUInt8(at)).toBe(value & 255)
      }),
    )
  })

  it('gives views of its memory that are of the same kind, also when it copies onto itself', () => {
    const own = Buffer.from('abcdef')
    const part = own.subarray(1, 3)
    part.writeUInt8(0x78, 0)
    expect(own.toString()).toBe('axcdef')
    own.copy(own, 0, 2, 6)
    expect(own.toString()).toBe('cdefef')
  })

  it('has texts as UTF-8, with a mark of the byte order and replacements as Node’s', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.uint8Array(), (text, array) => {
        expect([...Buffer.from(text)]).toEqual([...NodeBuffer.from(text)])
        expect(Buffer.concat([array, Buffer.from(text)]).toString()).toBe(
          NodeBuffer.concat([array, NodeBuffer.from(text)]).toString(),
        )
      }),
    )
    expect(Buffer.from('\uFEFFx').toString()).toBe('\uFEFFx')
    expect(Buffer.allocUnsafe(3)).toHaveLength(3)
  })
})
