import { expect, it } from 'vitest'
import { jsonFlaw } from './json-flaw.ts'

it.each([
  ['', 1, 1, true],
  [' \n ', 2, 2, true],
  ['[', 1, 2, true],
  ['[{"a": 1}', 1, 10, true],
  ['[1,\n2,,]', 2, 3, false],
  ['[1,]', 1, 4, false],
  ['{"a": 1,}', 1, 9, false],
  ['{"a" 1}', 1, 6, false],
  ['{a: 1}', 1, 2, false],
  ["['a']", 1, 2, false],
  ['[\n  {"a": tru}\n]', 2, 9, false],
  ['[01]', 1, 3, false],
  ['[1}', 1, 3, false],
  ['[1] x', 1, 5, false],
  ['[1] ,', 1, 5, false],
  ['["a\nb"]', 1, 4, false],
  [String.raw`["\x"]`, 1, 3, false],
  ['["a', 1, 4, true],
])('finds the flaw in %j at line %d, column %d', (text, line, column, isEnd) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(jsonFlaw(text)).toEqual({ line, column, isEnd })
})

it.each(['[]', '{}', ' [1, -2.5e3, "a\\u00e9\\n", true, null, {"a": {"b": []}}]\n', '"x"', '0', '[[[]], {}]'])(
  'finds none in %j',
  (text) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow()
    expect(jsonFlaw(text)).toBeUndefined()
  },
)

it('agrees with the parser about any text of its signs', () => {
  const signs = ['[', ']', '{', '}', ',', ':', '"a"', '1', 'true', ' ']
  for (let number = 0; number < 100_000; number += 7) {
    const text = String(number).replaceAll(/\d/g, (digit) => signs[Number(digit)] ?? '')
    expect([text, jsonFlaw(text) === undefined]).toEqual([text, isJson(text)])
  }
})

it('takes a text that is nested deeper than the stack', () => {
  expect(jsonFlaw('['.repeat(1_000_000))).toMatchObject({ column: 1_000_001, isEnd: true })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
