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

describe('the nearest words', () => {
  it.each([
    ['backpu', ['backup']],
    ['tunel', ['tunnel']],
    ['fierwall', ['firewall']],
    ['recrodng', ['recording']],
    ['rult', ['rule']],
    ['rxle', ['role', 'rule']],
  ])('of %s are %j', (word, expected) => {
    expect(nearest(word, vocabulary)).toEqual(expected)
  })

  it.each(['too', 'bckp', 'tnul', 'xecordig'])('of %s are none: too short or too far away', (word) => {
    expect(nearest(word, vocabulary)).toEqual([])
  })
})

describe('the distance of two words', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 })
  it('is the same in both directions, 0 for equal words only, and 1 for swapped neighbours', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(editDistance(a, b, 9)).toBe(editDistance(b, a, 9))
        expect(editDistance(a, b, 9) === 0).toBe(a === b)
        expect(editDistance(`${a}xy${b}`, `${a}yx${b}`, 9)).toBe(1)
      }),
    )
  })

  it('is told up to the limit, and as one more beyond it', () => {
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 3 }), (a, b, limit) => {
        expect(editDistance(a, b, limit)).toBe(Math.min(editDistance(a, b, 99), limit + 1))
      }),
    )
  })
})
