// Text as words, for PostgreSQL's text search (documentation, chapter 12, and section 8.11 on its types). Its own parser
// takes paths, addresses and numbers for one word each, so that a part of them is not found; here a word is letters and
// digits, and what stands between two words is looked for as one after the other. No language: a log has none.
import type { TenantId } from '@bowline/contract/schemas/common'

/** These write no spaces: each character is a word. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}])+/gu
/** PostgreSQL takes up to 2,046 bytes. */
const WORD_CHARACTERS = 200
/** PostgreSQL keeps no higher one. */
const LAST_POSITION = 16_383
const POSITIONS_OF_A_WORD = 250

/** The words of a text in order, in the one form that they are compared in. */
export function wordsOf(text: string): string[] {
  const words = text.normalize('NFKC').toLowerCase().match(WORD) ?? []
  return words.map((word) => word.slice(0, WORD_CHARACTERS).toWellFormed())
}

/** A tsvector as PostgreSQL reads it: every word with its places, and the namespace as a word without one. */
export function toVector(text: string, tenant: TenantId): string {
  const places = new Map<string, number[]>()
  for (const [index, word] of wordsOf(text).entries()) {
    const found = places.get(word) ?? []
    if (found.length < POSITIONS_OF_A_WORD) found.push(Math.min(index + 1, LAST_POSITION))
    places.set(word, found)
  }
  return [`'${tenant}'`, ...[...places].map(([word, found]) => `'${word}':${found.join(',')}`)].join(' ')
}

/** One thing that must be in a passage: words that follow each other, of the last one perhaps only the beginning. */
interface Term {
  readonly words: readonly string[]
  readonly isBeginning: boolean
}

/** `word`, `"some words"`, `begin*`, `/a/path.txt`: all of them must be there. */
export function termsOf(query: string): Term[] {
  return [...query.matchAll(/"([^"]*)"?|([^\s"]+)/g)].flatMap(([, quoted, bare]) => {
    const text = quoted ?? bare ?? ''
    const words = wordsOf(text)
    return words.length === 0 ? [] : [{ words, isBeginning: bare?.endsWith('*') === true }]
  })
}

/** A tsquery as PostgreSQL reads it; undefined when nothing can be looked for. */
export function toQuery(query: string): string | undefined {
  const terms = termsOf(query).map(({ words, isBeginning }) => {
    const last = words.length - 1
    return `(${words.map((word, at) => `'${word}'${isBeginning && at === last ? ':*' : ''}`).join(' <-> ')})`
  })
  return terms.length === 0 ? undefined : terms.join(' & ')
}
