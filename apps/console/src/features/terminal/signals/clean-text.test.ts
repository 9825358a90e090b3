import { expect, it } from 'vitest'
import { cleanLine, cleanLines } from './clean-text.ts'

it('makes one short line of a title, without characters that act, hide or reorder', () => {
  expect(cleanLine('  make\u0007 \u001B[31mall\r\n ', 40)).toBe('make [31mall')
  expect(cleanLine('user\u202Egpj.exe\u2066x\u2069\u200B\uFEFF', 40)).toBe('user gpj.exe x')
  expect(cleanLine('a\u2028b\u0085c', 40)).toBe('a b c')
})

it('cuts a title between characters, not within them', () => {
  expect(cleanLine('x'.repeat(50), 5)).toBe('xxxx…')
  expect(cleanLine('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 2)).toBe('👩‍👩‍👧…')
  expect(cleanLine('👩‍👩‍👧', 1)).toBe('👩‍👩‍👧')
  expect(cleanLine('y'.repeat(10_000_000), 8)).toBe('yyyyyyy…')
})

it('keeps lines and tabs of a text for the clipboard, and nothing else that is not shown', () => {
  expect(cleanLines('a\tb\r\nc\rd\u0000\u001B[201~\u202Ee')).toBe('a\tb\nc\nd[201~e')
})
