import { assert, constantFrom, letrec, oneof, pre, property, tuple } from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { patternSize } from './pattern-size.ts'
import { compilePattern, patternFlaw } from './pattern.ts'

const TOO_MUCH = 'repeats too much: make its repeats smaller'

describe('patternSize', () => {
  it('never underestimates the program size of a pattern', () => {
    const atom = constantFrom(
      'a',
      '.',
      '[^a]',
      '[a-z0-9]',
      '\\d',
      '\\pL',
      '\\p{Greek}',
      '\\.',
      '^',
      '$',
      'é',
      '\\Qa{9}\\E',
      '{',
      '[]a]',
    )
    const { pattern } = letrec<{ pattern: string }>((tie) => ({
      pattern: oneof(
        { maxDepth: 5 },
        atom,
        tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
        tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
        tuple(constantFrom('(', '(?:', '(?i:', '(?P<name>', '(?s)('), tie('pattern')).map(([a, b]) => `${a}${b})`),
        tuple(tie('pattern'), constantFrom('*', '+', '?', '{2}', '{0,7}', '{3,}', '{1,2}?')).map(
          ([a, b]) => `(?:${a})${b}`,
        ),
      ),
    }))
    assert(
      property(pattern, (source) => {
        const size = patternSize(source)
        pre(size <= 2_000)
        let compiled: RE2JS | undefined
        try {
          compiled = RE2JS.compile(source)
        } catch {
          return
        }
        // The program has a start and an end of its own.
        expect([source, compiled.programSize() - 4 <= 2 * size]).toEqual([source, true])
      }),
      { numRuns: 500 },
    )
  })

  it('accepts an alternation of 120 names', () => {
    const names = Array.from({ length: 120 }, (_, i) => `user-${i}`).join('|')
    expect(patternFlaw(`^(${names})$`)).toBeUndefined()
  })
})

describe('compilePattern', () => {
  it.each([
    `(?:${'[^a]{0,1000}'.repeat(80)})`,
    '[^a]{0,1000}[^b]{0,1000}',
    '(?:(?:(?:a{10}){10}){10}){10}',
    '((a{1,100}b){1,100}c)*',
    '(?i)(?:\\pL{1,500}){3}',
    '\\Qab\\E{1000}\\Qcd\\E{1000}',
  ])('rejects an expensive pattern before compiling it: %.40s', (source) => {
    expect(patternFlaw(source)).toBe(TOO_MUCH)
    expect(compilePattern(source)).toBeUndefined()
  })

  it('rejects text that is not RE2 syntax', () => {
    for (const source of ['(', 'a**', '(?=a)', '\\1', '[z-a]']) {
      expect([source, patternFlaw(source)]).toEqual([source, 'must be a pattern in RE2 syntax'])
    }
  })

  it('compiles a pattern once for all its uses', () => {
    const compile = RE2JS.compile.bind(RE2JS)
    let count = 0
    RE2JS.compile = (...args) => {
      count += 1
      return compile(...args)
    }
    try {
      for (let i = 0; i < 10; i += 1) expect(compilePattern('^only-here$')?.search('only-here')).toBe(true)
    } finally {
      RE2JS.compile = compile
    }
    expect(count).toBe(1)
  })

  it('gives the same result after eviction from the cache', () => {
    const pattern = compilePattern('^kept-[0-9]+$')
    // Each is counted as about a megabyte.
    for (let i = 0; i < 200; i += 1) compilePattern(`x{900}${i}`)?.search('y'.repeat(256))
    expect([pattern?.search('kept-7'), pattern?.matchesWhole('kept-')]).toEqual([true, false])
  })
})
