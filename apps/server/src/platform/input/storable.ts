// Detects text that PostgreSQL cannot store: NUL in text, a lone surrogate in JSON. Rejected at the edge in any field,
// so that no query ever fails on user input.

/** The rule, for error messages. */
export const UNSTORABLE = 'must not have NUL characters or halves of surrogate pairs'

export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Only an escape can bring them into JSON: UTF-8 has no lone surrogates, and JSON no bare control characters. */
const SUSPICIOUS = /\\u(0000|d[89a-f])/i

/**
 * Checks every string in a JSON value, keys included.
 * @param json source text of `value`
 */
export function isStorable(json: string, value: unknown): boolean {
  if (!SUSPICIOUS.test(json)) return true
  // A stack instead of recursion: a value may be as deep as its text is long.
  const open = [value]
  while (open.length) {
    const next = open.pop()
    if (typeof next === 'string' && !isStorableText(next)) return false
    if (typeof next !== 'object' || next === null) continue
    for (const [key, item] of Object.entries(next)) {
      if (!isStorableText(key)) return false
      open.push(item)
    }
  }
  return true
}
