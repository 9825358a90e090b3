// Rejects JSON with more structure than any call needs, and objects with a repeated field name, which parsers resolve
// differently. Works on the text, because a parsed value has lost both.

/** Deeper than any body of the contract, and than any written by hand. */
const MAX_DEPTH = 32
/** More names and items than any body has; parsing costs grow with their number, not with the length. */
const MAX_NAMES = 2_000
const MAX_ITEMS = 20_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
/** `{` and `[`, `}` and `]` differ by one bit. */
const OPEN = 0x5b
const CLOSE = 0x5d
const BRACE = 0x20

/**
 * Finds too much structure before parsing. Scans the text once and stops at the first excess.
 * @param json any text
 * @param maxNames field names of all objects together
 * @returns a rule for error messages; undefined when there is none
 */
export function excessOf(json: string, maxNames = MAX_NAMES): string | undefined {
  let depth = 0
  let names = 0
  let items = 0
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfText(json, at)
      continue
    }
    if (code === COLON) names += 1
    else if (code === COMMA) items += 1
    else if ((code & ~BRACE) === OPEN) depth += 1
    else if ((code & ~BRACE) === CLOSE) depth -= 1
    if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`
    if (names > maxNames || items > MAX_ITEMS) return 'has too many fields'
  }
  return undefined
}

/** Index of the quote that ends the string starting at `from`; the last index if unterminated. */
function endOfText(json: string, from: number): number {
  let at = from
  do {
    at = json.indexOf('"', at + 1)
    if (at < 0) return json.length
  } while (isEscaped(json, at))
  return at
}

function isEscaped(json: string, at: number): boolean {
  let count = 0
  while (json.charCodeAt(at - 1 - count) === BACKSLASH) count += 1
  return count % 2 === 1
}

/** Strings and structure; numbers and literals in between do not matter here. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g

/**
 * @param json must be valid JSON without excess
 * @returns a rule for error messages; undefined when no object names a field twice
 */
export function repeatedName(json: string): string | undefined {
  /** Names of the objects that are open, outermost first; undefined for arrays. */
  const open: (Set<string> | undefined)[] = []
  let last = ''
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const names = open.at(-1)
      // Escapes allow many spellings of one name.
      const name = last.includes('\\') ? String(JSON.parse(last)) : last.slice(1, -1)
      if (names?.has(name)) return 'names a field twice'
      names?.add(name)
    }
    last = token
  }
  return undefined
}
