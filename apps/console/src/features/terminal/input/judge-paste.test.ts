import { describe, expect, it } from 'vitest'
import { asOneLine, countLines, preview, riskOf, withoutBrackets, withoutControls } from './judge-paste.ts'

describe('a paste', () => {
  it('of one line is not asked about', () => {
    for (const choice of ['auto', 'always', 'never'] as const) {
      expect(riskOf('uptime', choice, false)).toBeUndefined()
      expect(riskOf('a\tb', choice, true)).toBeUndefined()
    }
  })

  it('of several lines is asked about where each would run at once, or always, or never', () => {
    for (const text of ['a\nb', 'a\r\nb', 'a\rb', 'sudo reboot\n']) {
      expect(riskOf(text, 'auto', false)).toBe('lines')
      expect(riskOf(text, 'auto', true)).toBeUndefined()
      expect(riskOf(text, 'always', true)).toBe('lines')
      expect(riskOf(text, 'never', false)).toBeUndefined()
    }
  })

  it('of more than 1,000 characters is asked about, also where the program takes it as a whole, unless never', () => {
    for (const text of ['x'.repeat(1_001), 'line\n'.repeat(201)]) {
      expect(riskOf(text, 'auto', true)).toBe('long')
      expect(riskOf(text, 'never', false)).toBeUndefined()
    }
    expect(riskOf('x'.repeat(1_001), 'auto', false)).toBe('long')
    expect(riskOf('line\n'.repeat(201), 'auto', false)).toBe('lines')
    expect(riskOf('x'.repeat(1_000), 'auto', false)).toBeUndefined()
  })

  it('with control characters is asked about whatever is chosen', () => {
    for (const text of ['a\u001B[201~b', 'a\u0003', 'a\u007Fb', 'a\u009B31mb', '\u0000']) {
      for (const choice of ['auto', 'always', 'never'] as const) expect(riskOf(text, choice, true)).toBe('controls')
    }
  })

  it('cannot end its own brackets, not even by marks within marks', () => {
    expect(withoutBrackets('a\u001B[201~b\u001B[200~c')).toBe('abc')
    expect(withoutBrackets('\u001B[20\u001B[201~1~rm')).toBe('rm')
    expect(withoutBrackets('a\u009B201~b')).toBe('ab')
    expect(withoutBrackets('\u001B[31mred')).toBe('\u001B[31mred')
    expect(withoutBrackets('a~\u001B[202~~\u{1F600}')).toBe('a~\u001B[202~~\u{1F600}')
  })

  it('cannot end its own brackets by marks nested a hundred thousand times', () => {
    const depth = 100_000
    expect(withoutBrackets(`a${'\u001B[20'.repeat(depth)}${'1~'.repeat(depth)}b`)).toBe('ab')
  })

  it('loses its control characters or its line ends when the person prefers that', () => {
    expect(withoutControls('a\u001B[31m\tb\r\nc\u0007')).toBe('a[31m\tb\r\nc')
    expect(asOneLine('  apt update \n  apt upgrade\r\n')).toBe('apt update apt upgrade')
    expect(asOneLine('a \t\r\tb\n \nc')).toBe('a b  c')
    // Within the time limit of a test.
    expect(asOneLine(`a${' '.repeat(300_000)}b`)).toBe(`a${' '.repeat(300_000)}b`)
  })

  it('is shown with its controls as symbols, and cut when it is long', () => {
    expect(preview('a\u001Bb\u007F\r\nc\u009B').text).toBe('a␛b␡\nc\uFFFD')
    expect(preview('x'.repeat(4_001))).toEqual({ text: 'x'.repeat(4_000), isCut: true })
  })

  it('counts lines as an editor does', () => {
    expect(['a', 'a\n', 'a\nb', 'a\r\nb\r\n', '\n\n'].map(countLines)).toEqual([1, 1, 2, 2, 2])
  })
})
