import { array, assert, constantFrom, integer, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBoundedRepeats } from './bounded-repeats.ts'

const SIZE = { columns: 80, rows: 24 }
const bound = (...pieces: string[]): string => pieces.map(createBoundedRepeats(() => SIZE)).join('')

describe('huge repeat counts', () => {
  it.each([
    ['L', 24],
    ['M', 24],
    ['S', 24],
    ['T', 24],
    ['I', 80],
    ['Z', 80],
    ['@', 80],
    ['P', 80],
    ['X', 80],
    // 2,147,483,647 modulo 80 is 47.
    ['b', 1_920 + 47],
  ])('bounds the repeat count by the screen size: CSI … %s', (final, most) => {
    expect(bound(`a\u001b[2147483647${final}z`)).toBe(`a\u001b[${most}${final}z`)
    expect(bound(`a\u009b99999999999999999999${final}z`)).toBe(`a\u001b[${most}${final}z`)
    expect(bound(`a\u001b[000${most}${final}z`)).toBe(`a\u001b[000${most}${final}z`)
  })

  it.each([
    ['of another function', '\u001b[2147483647A\u001b[?2147483647S\u001b[2147483647 @\u001b[38;2;2147483647m'],
    ['in plain text', '2147483647S [2147483647L \u001b]0;2147483647b\u0007\u001b(2147483647b'],
    ['of an aborted sequence', '\u001b[2147483647\u0018S\u001b[2147483647\u001b[mS'],
    ['that is not the first parameter', '\u001b[1;2147483647T'],
  ])('leaves a number alone %s', (_, text) => {
    expect(bound(text)).toBe(text)
  })

  it('bounds a count with control characters inside, which take effect first', () => {
    expect(bound('\u001b\n[21474\r83\u007f647;5S')).toBe('\n\r\u007f\u001b[24;5S')
  })

  it('bounds the count by the current screen size', () => {
    let rows = 24
    const next = createBoundedRepeats(() => ({ columns: 80, rows }))
    expect(next('\u001b[100S')).toBe('\u001b[24S')
    rows = 50
    expect(next('\u001b[100S')).toBe('\u001b[50S')
  })

  it('produces the same output wherever the input is split', () => {
    const part = constantFrom(
      '\u001b',
      '[',
      '\u009b',
      '9',
      '0000000',
      ';',
      ':',
      '?',
      ' ',
      '\n',
      '\u0018',
      'S',
      'b',
      '@',
      'm',
      'é',
    )
    assert(
      property(array(part, { maxLength: 40 }), array(integer({ min: 0, max: 40 }), { maxLength: 6 }), (parts, cuts) => {
        const text = parts.join('')
        const places = [0, ...cuts.toSorted((a, b) => a - b), text.length]
        const pieces = places.slice(1).map((to, index) => text.slice(places[index], to))
        // The end is that of the text, so that nothing is held back.
        expect(bound(...pieces, '\u001b\\')).toBe(bound(`${text}\u001b\\`))
      }),
      { numRuns: 1_000 },
    )
    const text = 'a\u001b\n[2147\r483647;1Sb\u009b2147483647bc'
    for (let at = 0; at <= text.length; at += 1) expect(bound(text.slice(0, at), text.slice(at))).toBe(bound(text))
    expect(bound(...text.split(''))).toBe(bound(text))
  })

  it('uses bounded memory for a sequence without end', () => {
    const next = createBoundedRepeats(() => SIZE)
    expect(next('\u001b[')).toBe('')
    for (let round = 0; round < 1_000; round += 1) expect(next('9'.repeat(100))).toBe('')
    expect(next('m').length).toBeLessThan(400)
    expect(next('S')).toBe('S')
  })
})
