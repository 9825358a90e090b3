// Position of the first syntax error in JSON (RFC 8259). Browsers report it in different formats, and some not at all.

const SPACE = /[ \t\n\r]*/y
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const TEXT = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y // oxlint-disable-line no-control-regex -- they are what JSON refuses

export interface Place {
  /** From 1. */
  readonly line: number
  /** In characters, from 1. */
  readonly column: number
  /** Nothing comes after it: something is not closed, or there is nothing. */
  readonly isEnd: boolean
}

/** @returns where the text is no JSON any more; undefined for JSON */
export function jsonFlaw(text: string): Place | undefined {
  const at = flawIn(text)
  if (at === undefined) return undefined
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1, isEnd: at >= text.trimEnd().length }
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end'

/** Offset of the first character that cannot be there. Nesting is kept in a list: a text can have more than the stack holds. */
function flawIn(text: string): number | undefined {
  const open: ('[' | '{')[] = []
  let expected: Expected = 'value'
  let at = after(SPACE, text, 0)
  while (at < text.length) {
    const sign = text[at] ?? ''
    const next = step(sign, expected, open)
    const end: number = next === 'word' ? after(WORD, text, at) : next === 'text' ? after(TEXT, text, at) : at + 1
    if (next === undefined || end === at) return at
    if (next === 'text' && text[end] !== '"') return end
    if (next === 'word' || next === 'text') expected = expected.startsWith('key') ? ':' : ', or end'
    else expected = next
    at = after(SPACE, text, next === 'text' ? end + 1 : end)
  }
  return expected === ', or end' && open.length === 0 ? undefined : at
}

/** @returns what is expected after the sign, or that it begins a text or a word; undefined: it cannot be there */
function step(sign: string, expected: Expected, open: ('[' | '{')[]): Expected | 'text' | 'word' | undefined {
  const isValue = expected.startsWith('value')
  const isKey = expected.startsWith('key')
  if (sign === '"') return isValue || isKey ? 'text' : undefined
  if (isValue && (sign === '[' || sign === '{')) {
    open.push(sign)
    return sign === '[' ? 'value or ]' : 'key or }'
  }
  const inside = open.at(-1)
  const closes = (sign === ']' && inside === '[') || (sign === '}' && inside === '{')
  if (closes && (expected === ', or end' || expected === `value or ${sign}` || expected === `key or ${sign}`)) {
    open.pop()
    return ', or end'
  }
  if (sign === ':' && expected === ':') return 'value'
  if (sign === ',' && expected === ', or end' && inside) return inside === '[' ? 'value' : 'key'
  return isValue ? 'word' : undefined
}

function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
