// Tests that everything written can be read back, and no input makes the reader do anything but read or refuse.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WireError, WireReader } from './reader.ts'
import { WireWriter } from './writer.ts'

describe('round trip', () => {
  test('reads back numbers, strings, lists and integers', () => {
    const name = fc.string({ minLength: 1, unit: fc.constantFrom('a', 'z', '0', '9', '-', '@', '.') })
    fc.assert(
      fc.property(
        fc.nat(0xff),
        fc.integer({ min: 0, max: 0xffff_ffff }),
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.string({ unit: 'grapheme' }),
        fc.uint8Array({ maxLength: 3_000 }),
        fc.array(name),
        fc.uint8Array({ maxLength: 300 }),
        (byte, word, long, text, bytes, names, magnitude) => {
          const wire = new WireWriter(1).byte(byte).uint32(word).uint64(long).string(text).string(bytes)
          const reader = new WireReader(wire.nameList(names).mpint(magnitude).boolean(true).done())
          expect(reader.byte('byte')).toBe(byte)
          expect(reader.uint32('word')).toBe(word)
          expect(reader.uint64('long')).toBe(long)
          expect(reader.text('text')).toBe(text)
          expect(reader.string('bytes')).toEqual(bytes)
          expect(reader.nameList('names')).toEqual(names)
          const trimmed = magnitude.subarray(magnitude.findIndex((value) => value !== 0))
          expect(reader.mpint('integer')).toEqual(magnitude.some((value) => value !== 0) ? trimmed : new Uint8Array(0))
          expect(reader.boolean('flag')).toBe(true)
          reader.end('structure')
        },
      ),
    )
  })
})

describe('refusals name the field', () => {
  const bytes = (...values: number[]) => new WireReader(Uint8Array.from(values))

  test('rejects input that is too short', () => {
    expect(() => bytes(0, 0, 0).uint32('window')).toThrow('window: needs 4 bytes, 3 are left')
    expect(() => bytes(0, 0, 0, 9, 1).string('command')).toThrow('command: needs 9 bytes, 1 are left')
    expect(() => bytes(0xff, 0xff, 0xff, 0xff).string('command')).toThrow(WireError)
  })

  test('rejects input that is too long', () => {
    expect(() => bytes(0, 0, 0, 2, 65, 65).string('name', 1)).toThrow('name: 2 bytes, at most 1 are allowed')
    expect(() => bytes(1).end('KEXINIT')).toThrow('KEXINIT: 1 bytes too many')
  })

  test('rejects text that is not UTF-8, unprintable names and non-canonical integers', () => {
    expect(() => bytes(0, 0, 0, 1, 0xff).text('user')).toThrow('user: not valid UTF-8')
    expect(() => bytes(0, 0, 0, 1, 10).nameList('kex')).toThrow('kex: ')
    expect(() => bytes(0, 0, 0, 1, 0x80).mpint('r')).toThrow('r: a negative integer')
    expect(() => bytes(0, 0, 0, 2, 0, 1).mpint('r')).toThrow('r: an integer with needless leading zeros')
  })
})

test('random bytes yield a value or a WireError', () => {
  const reads = ['byte', 'uint32', 'uint64', 'string', 'text', 'nameList', 'mpint', 'boolean'] as const
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.array(fc.constantFrom(...reads)), (input, calls) => {
      const reader = new WireReader(input)
      let problem: unknown
      try {
        for (const call of calls) reader[call]('field')
      } catch (error) {
        problem = error
      }
      expect(problem === undefined || problem instanceof WireError).toBe(true)
      expect(reader.remaining).toBeGreaterThanOrEqual(0)
    }),
  )
})
