import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTerminalModes } from './terminal-modes.ts'

test('parses modes up to the end mark', () => {
  const encoded = Uint8Array.of(53, 0, 0, 0, 1, 129, 0, 0, 0x96, 0, 0, 99, 99)
  expect(parseTerminalModes(encoded)).toEqual([
    [53, 1],
    [129, 38_400],
  ])
})

test('stops at an opcode without a defined argument', () => {
  expect(parseTerminalModes(Uint8Array.of(53, 0, 0, 0, 1, 160, 0, 0, 0, 0, 54, 0, 0, 0, 1))).toEqual([[53, 1]])
})

test('arbitrary bytes yield only known opcodes, and truncated ones none', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const modes = parseTerminalModes(bytes)
      expect(modes.length).toBeLessThanOrEqual(bytes.length / 5)
      expect(modes.every(([opcode]) => opcode > 0 && opcode < 160)).toBe(true)
    }),
  )
})
