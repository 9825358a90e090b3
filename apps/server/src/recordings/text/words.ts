// Splits text into words for PostgreSQL's text search (documentation, chapter 12, and section 8.11 on its types). Its
// own parser treats paths, addresses and numbers as one word each, so that parts of them are not found; here a word is
// letters and digits, and words joined by punctuation are searched as a sequence. No language: logs have none.
import type { TenantId } from '@bowline/contract/schemas/common'

/** Scripts without spaces: each character is a word. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}])+/gu
/** PostgreSQL allows up to 2,046 bytes. */
const WORD_CHARACTERS = 200
/** Highest position in PostgreSQL. */
const LAST_POSITION = 16_383
const POSITIONS_OF_A_WORD = 250

/** The words of a text in order, normalised for comparison. */
export function wordsOf(text: string): string[] {
  const words = text.normalize('NFKC').toLowerCase().match(WORD) ?? []
  return words.map((word) => word.slice(0, WORD_CHARACTERS).toWellFormed())
}

/** A tsvector in PostgreSQL's syntax: every word with its positions, and the namespace as a word without one. */
export function toVector(text: string, tenant: TenantId): string {
  const places = new Map<string, number[]>()
  for (const [index, word] of wordsOf(text).entries()) {
    const found = places.get(word) ?? []
    if (found.length < POSITIONS_OF_A_WORD) found.push(Math.min(index + 1, LAST_POSITION))
    places.set(word, found)
  }
  return [`'${tenant}'`, ...[...places].map(([word, found]) => `'${word}':${found.join(',')}`)].join(' ')
}

/** A required term: consecutive words, the last one possibly a prefix. */
interface Term {
  readonly words: readonly string[]
  readonly isBeginning: boolean
}

/** `word`, `"some words"`, `begin*`, `/a/path.txt`: all of them are required. */
export function termsOf(query: string): Term[] {
  return [...query.matchAll(/"([^"]*)"?|([^\s"]+)/g)].flatMap(([, quoted, bare]) => {
    const text = quoted ?? bare ?? ''
    const words = wordsOf(text)
    return words.length === 0 ? [] : [{ words, isBeginning: bare?.endsWith('*') === true }]
  })
}

/** A tsquery in PostgreSQL's syntax; undefined without a search word. */
export function toQuery(query: string): string | undefined {
  const terms = termsOf(query).map(({ words, isBeginning }) => {
    const last = words.length - 1
    return `(${words.map((word, at) => `'${word}'${isBeginning && at === last ? ':*' : ''}`).join(' <-> ')})`
  })
  return terms.length === 0 ? undefined : terms.join(' & ')
}
