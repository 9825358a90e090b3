import { assert, json as anyJson, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { excessOf, repeatedName } from './json-shape.ts'

const shapeFlaw = (json: string) => excessOf(json) ?? repeatedName(json)

describe('JSON structure', () => {
  it.each([
    '{}',
    '[]',
    '"{\\"a\\":1,\\"a\\":2}"',
    '{"a":{"a":1},"b":[{"a":1},{"a":1}]}',
    '{"a":"a:","b":"\\\\","c":"\\":"}',
    '{"__proto_":1,"_proto__":2}',
    `${'['.repeat(32)}${']'.repeat(32)}`,
  ])('accepts %s', (json) => {
    expect(shapeFlaw(json)).toBeUndefined()
  })

  it.each([
    '{"a":1,"a":2}',
    '{"a":1 ,\n "a" : 2}',
    String.raw`{"a":1,"\u0061":2}`,
    '[{"b":{"a":[],"c":{},"a":0}}]',
    '{"":1,"":2}',
  ])('rejects a repeated field name: %s', (json) => {
    expect(shapeFlaw(json)).toBe('names a field twice')
  })

  it.each([`${'['.repeat(33)}${']'.repeat(33)}`, `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`])(
    'rejects JSON nested deeper than 32 levels',
    (json) => {
      expect(shapeFlaw(json)).toBe('is nested deeper than 32 levels')
    },
  )

  it.each([`[${'0,'.repeat(20_001)}0]`, `{${Array.from({ length: 2_001 }, (_, i) => `"a${i}":0`).join()}}`])(
    'rejects JSON with too many fields: %.20s',
    (json) => {
      expect(excessOf(json)).toBe('has too many fields')
    },
  )

  it.each(['"[[[[', '"\\\\', `"${'\\\\'.repeat(9)}"`, ']]]]', '{"a', ''])('scans text that is not JSON: %s', (text) => {
    expect(excessOf(text)).toBeUndefined()
  })

  it('accepts any serialized JSON within the depth limit', () => {
    assert(property(anyJson({ maxDepth: 8 }), (json) => shapeFlaw(json) === undefined))
  })
})
