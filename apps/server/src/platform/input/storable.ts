// Text that PostgreSQL cannot hold: NUL in text, half of a surrogate pair in JSON. Refused at the edge, whatever the
// field, so that no query ever fails on what somebody typed.

/** The rule, for error messages. */
export const UNSTORABLE = 'must not have NUL characters or halves of surrogate pairs'

export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Only an escape can bring them into JSON: UTF-8 has no half pairs, and JSON no bare control characters. */
const SUSPICIOUS = /\\u(0000|d[89a-f])/i

/**
 * Whether every text in a JSON value, keys included, can be stored.
 * @param json what `value` was parsed from
 */
export function isStorable(json: string, value: unknown): boolean {
  if (!SUSPICIOUS.test(json)) return true
  // A list instead of recursion: a value may be as deep as its text is long.
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
