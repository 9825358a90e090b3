// The snippet of a search hit: the best line of its passage with the matches marked.
import { termsOf, wordsOf } from './words.ts'

const MAX_CHARACTERS = 240

export interface Snippet {
  readonly snippet: string
  /** Character ranges of the matches, end exclusive. */
  readonly matches: { from: number; to: number }[]
}

/** The line with most of the words, cropped around the first match. */
export function snippetOf(text: string, query: string): Snippet {
  const terms = termsOf(query)
  const whole = new Set(terms.flatMap(({ words }) => words))
  const beginnings = terms.flatMap(({ words, isBeginning }) => (isBeginning ? words.slice(-1) : []))
  const isWanted = (word: string): boolean => whole.has(word) || beginnings.some((part) => word.startsWith(part))
  let best = ''
  let most = -1
  for (const line of text.split('\n')) {
    const count = new Set(wordsOf(line).filter(isWanted)).size
    if (count > most) [best, most] = [line, count]
  }
  const places = [...best.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].flatMap(({ 0: found, index }) =>
    wordsOf(found).some(isWanted) ? [{ from: index, to: index + found.length }] : [],
  )
  const start = Math.max(0, Math.min((places[0]?.from ?? 0) - 40, best.length - MAX_CHARACTERS))
  const snippet = best.slice(start, start + MAX_CHARACTERS).toWellFormed()
  const shown = places.filter(({ from, to }) => from >= start && to <= start + snippet.length)
  return { snippet, matches: shown.map(({ from, to }) => ({ from: from - start, to: to - start })) }
}
