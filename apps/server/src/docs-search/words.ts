// Splits text into terms of the index, the same way for pages and queries.
import { stemmer } from 'stemmer'

/** A word, or a literal made of several: `X-API-Key`, `BOWLINE_HTTP_PORT`, `secret.key`, `etc/bowline/agent.env`. */
const TOKENS = /[\p{L}\p{N}\p{M}_]+(?:[-.:/][\p{L}\p{N}\p{M}_]+)*/gu
const SEPARATORS = /[-.:/_]+/

export interface Token {
  /** Lower case, without accents. */
  readonly word: string
  /** The same without its ending. A literal of several parts has none to lose. */
  readonly term: string
  /** The words of a literal with several parts; [] of a plain word. */
  readonly parts: readonly string[]
}

export function tokensOf(text: string): Token[] {
  return (text.match(TOKENS) ?? []).map((found) => {
    const word = fold(found)
    const parts = word.split(SEPARATORS).filter((part) => part !== '')
    return parts.length > 1
      ? { word, term: word, parts }
      : { word, term: parts[0] === undefined ? word : stem(parts[0]), parts: [] }
  })
}

/** Every term that a text is found by: its words, and of literals the whole and the parts. */
export function termsOf(text: string): string[] {
  return tokensOf(text).flatMap(({ term, parts }) => [term, ...parts.map(stem)])
}

/** Porter's stem, with the same for `add` and `adding`. */
export function stem(word: string): string {
  return stemmer(word).replace(/([b-df-hj-np-rtv-z])\1$/, '$1')
}

/** Splits a text at its tokens: every second part is one. */
export function splitAtTokens(text: string): string[] {
  return text.split(new RegExp(`(${TOKENS.source})`, 'u'))
}

/** `Gerät` and `gerat` are the same word. */
function fold(word: string): string {
  return word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
