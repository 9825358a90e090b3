import { describe, expect, it } from 'vitest'
import { isStorable } from './storable.ts'

const check = (json: string) => isStorable(json, JSON.parse(json))

describe('isStorable', () => {
  it.each([
    String.raw`"a\u0000"`,
    String.raw`{"a":["b",{"c":"\u0000"}]}`,
    String.raw`{"\u0000":1}`,
    String.raw`"\ud800"`,
    String.raw`"\uDC00x"`,
    String.raw`["\udc00\ud800"]`,
  ])('rejects %s', (json) => {
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
  ])('accepts %s', (json) => {
    expect(check(json)).toBe(true)
  })

  it('checks a value nested 200,000 levels deep', () => {
    const depth = 200_000
    expect(check(`${'['.repeat(depth)}"${String.raw`\u0000`}"${']'.repeat(depth)}`)).toBe(false)
  })
})
