// What JSON may say and our bodies may not: the same field twice in one object, of which every reader picks another
// one, and nesting that no call has a use for. Works on the text, because a parsed value has lost both.

/** Deeper than any body of the contract, and than any that a person writes. */
const MAX_DEPTH = 32

/** Texts and structure; numbers and words in between do not matter here. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g

/**
 * The first flaw of a JSON text.
 * @param json must be valid JSON
 * @returns a rule for error messages; undefined when there is none
 */
export function shapeFlaw(json: string): string | undefined {
  /** Names of the objects that are open, outermost first; undefined for arrays. */
  const open: (Set<string> | undefined)[] = []
  let last = ''
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : undefined)
      if (open.length > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`
    } else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const names = open.at(-1)
      // Escapes can write one name in many ways.
      const name = last.includes('\\') ? String(JSON.parse(last)) : last.slice(1, -1)
      if (names?.has(name)) return 'names a field twice'
      names?.add(name)
    }
    last = token
  }
  return undefined
}
