import { describe, expect, it } from 'vitest'
import { isStorable } from './storable.ts'

const check = (json: string) => isStorable(json, JSON.parse(json))

describe('a JSON value', () => {
  it.each([
    String.raw`"a\u0000"`,
    String.raw`{"a":["b",{"c":"\u0000"}]}`,
    String.raw`{"\u0000":1}`,
    String.raw`"\ud800"`,
    String.raw`"\uDC00x"`,
    String.raw`["\udc00\ud800"]`,
  ])('cannot be stored: %s', (json) => {
    expect(check(json)).toBe(false)
  })

  it.each([
    '1',
    'null',
    '{"a":[]}',
    '"😀"',
    String.raw`"\ud83d\ude00"`,
    String.raw`"\\u0000 as six characters"`,
    String.raw`"\\ud800"`,
    String.raw`"\u0001"`,
  ])('can be stored: %s', (json) => {
    expect(check(json)).toBe(true)
  })

  it('may be as deep as its text is long', () => {
    const depth = 200_000
    expect(check(`${'['.repeat(depth)}"${String.raw`\u0000`}"${']'.repeat(depth)}`)).toBe(false)
  })
})
