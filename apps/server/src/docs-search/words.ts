// Splits text into index terms, identically for pages and queries.
import { stemmer } from 'stemmer'

/** A word, or a literal of several: `X-API-Key`, `BOWLINE_HTTP_PORT`, `secret.key`, `etc/bowline/agent.env`. */
const TOKENS = /[\p{L}\p{N}\p{M}_]+(?:[-.:/][\p{L}\p{N}\p{M}_]+)*/gu
const SEPARATORS = /[-.:/_]+/

export interface Token {
  /** Lower case, without accents. */
  readonly word: string
  /** The word without its ending; a literal of several parts is kept whole. */
  readonly term: string
  /** Words of a literal with several parts; [] for a plain word. */
  readonly parts: readonly string[]
}

/**
 * @param known tokens by how they are written, for texts that repeat their words: filled here, and as large as the words
 * are many
 */
export function tokensOf(text: string, known?: Map<string, Token>): Token[] {
  return (text.match(TOKENS) ?? []).map((found) => {
    const token = known?.get(found) ?? tokenOf(found)
    known?.set(found, token)
    return token
  })
}

function tokenOf(found: string): Token {
  const word = fold(found)
  const parts = word.split(SEPARATORS).filter((part) => part !== '')
  return parts.length > 1
    ? { word, term: word, parts }
    : { word, term: parts[0] === undefined ? word : stem(parts[0]), parts: [] }
}

/**
 * Every term that a text is found by: its words, and of literals both the whole and the parts.
 * @param known see {@link tokensOf}
 */
export function termsOf(text: string, known?: Map<string, Token>): string[] {
  return tokensOf(text, known).flatMap(({ term, parts }) => [term, ...parts.map(stem)])
}

/** Porter's stem, adjusted so that `add` and `adding` have the same. */
export function stem(word: string): string {
  return stemmer(word).replace(/([b-df-hj-np-rtv-z])\1$/, '$1')
}

/** Splits a text at its tokens: every second element is a token. */
export function splitAtTokens(text: string): string[] {
  return text.split(new RegExp(`(${TOKENS.source})`, 'u'))
}

/** Removes case and accents: `Gerät` and `gerat` are the same word. */
function fold(word: string): string {
  return word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
