import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editDistance, nearest } from './spelling.ts'

const vocabulary = new Map([
  ['backup', 9],
  ['tunnel', 5],
  ['recording', 7],
  ['firewall', 3],
  ['rule', 20],
  ['role', 30],
  ['to', 99],
])

describe('nearest words', () => {
  it.each([
    ['backpu', ['backup']],
    ['tunel', ['tunnel']],
    ['fierwall', ['firewall']],
    ['recrodng', ['recording']],
    ['rult', ['rule']],
    ['rxle', ['role', 'rule']],
  ])('corrects %s to %j', (word, expected) => {
    expect(nearest(word, vocabulary)).toEqual(expected)
  })

  it.each(['too', 'bckp', 'tnul', 'xecordig'])('finds no correction for %s: too short or too far away', (word) => {
    expect(nearest(word, vocabulary)).toEqual([])
  })
})

describe('edit distance', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 })
  it('computes a symmetric edit distance, 0 only for equal words and 1 for a transposition', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(editDistance(a, b, 9)).toBe(editDistance(b, a, 9))
        expect(editDistance(a, b, 9) === 0).toBe(a === b)
        expect(editDistance(`${a}xy${b}`, `${a}yx${b}`, 9)).toBe(1)
      }),
    )
  })

  it('computes the exact edit distance up to the limit and limit + 1 beyond', () => {
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 3 }), (a, b, limit) => {
        expect(editDistance(a, b, limit)).toBe(Math.min(editDistance(a, b, 99), limit + 1))
      }),
    )
  })
})
