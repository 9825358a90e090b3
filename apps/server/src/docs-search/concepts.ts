// Splits a query into concepts, each with the index terms that would answer it.
import { nearest } from './spelling.ts'
import { isStopWord } from './stop-words.ts'
import type { Synonyms } from './synonyms.ts'
import { type Token, stem, tokensOf } from './words.ts'

/** Terms that answer a concept if a record has all of them, and the weight of that answer: 1 for the literal query. */
export interface Alternative {
  readonly terms: readonly string[]
  readonly weight: number
}
export type Concept = readonly Alternative[]

export interface Vocabulary {
  /** Words as written, with their frequency. */
  readonly words: ReadonlyMap<string, number>
  readonly terms: ReadonlySet<string>
  readonly synonyms: Synonyms
  /** Correction candidates with their frequency on the pages: words of the pages and of the synonyms. */
  readonly spellings: ReadonlyMap<string, number>
}

const WEIGHTS = { synonym: 0.9, parts: 0.6, beginning: 0.6, nearest: 0.7 }
/** A single-letter prefix matches too many words. */
const SHORTEST_BEGINNING = 2
const MAX_BEGINNINGS = 10

export function conceptsOf(query: string, vocabulary: Vocabulary): Concept[] {
  const { synonyms } = vocabulary
  const tokens = tokensOf(query)
  const corrected = tokens.map((token, i) => corrections(token, i === tokens.length - 1, vocabulary))
  const terms = tokens.map(({ term }, i) => corrected[i]?.[0]?.term ?? term)
  const concepts: Concept[] = []
  const lesser: Concept[] = []
  for (let i = 0; i < tokens.length;) {
    const synonym = synonyms.at(terms, i)
    const length = synonym?.length ?? 1
    const asked = tokens.slice(i, i + length)
    const meanings = (synonym?.meanings ?? []).map((meaning) => ({ terms: meaning, weight: WEIGHTS.synonym }))
    const own =
      length === 1
        ? literal(asked[0], corrected[i] ?? [], vocabulary, i === tokens.length - 1)
        : [{ terms: asked.flatMap(({ word, term }) => (isStopWord(word) ? [] : [term])), weight: 1 }]
    const decides = synonym !== undefined || asked.some(({ word }) => !isStopWord(word))
    ;(decides ? concepts : lesser).push([...own, ...meanings].filter((one) => one.terms.length > 0))
    i += length
  }
  // A query of stop words only searches for these.
  return different(concepts.length > 0 ? concepts : lesser)
}

/** Removes duplicates: `team members` is one concept, not two. */
function different(concepts: readonly Concept[]): Concept[] {
  const seen = new Set<string>()
  return concepts.filter((concept) => {
    const terms = concept.map((one) => one.terms.join(' '))
    const isNew = !terms.some((one) => seen.has(one))
    for (const one of terms) seen.add(one)
    return isNew
  })
}

/** Alternatives that a single word or literal matches. */
function literal(
  token: Token | undefined,
  corrected: readonly Token[],
  vocabulary: Vocabulary,
  isLast: boolean,
): Alternative[] {
  if (!token) return []
  const { word, term, parts } = token
  const asked = { terms: [term], weight: 1 }
  // A literal that the pages contain is meant as it is.
  if (parts.length > 0 && vocabulary.terms.has(term)) return [asked]
  const split = parts.filter((part) => part.length > 1).map(stem)
  return [
    asked,
    ...corrected.map((other) => ({ terms: [other.term], weight: WEIGHTS.nearest })),
    ...(split.length > 0 ? [{ terms: split, weight: WEIGHTS.parts }] : []),
    // The last word may still be incomplete.
    ...(isLast ? beginnings(word, vocabulary) : []),
  ]
}

function beginnings(word: string, { words }: Vocabulary): Alternative[] {
  if (word.length < SHORTEST_BEGINNING) return []
  const longer = [...words.keys()].filter((known) => known !== word && known.startsWith(word))
  const frequent = longer.toSorted((a, b) => (words.get(b) ?? 0) - (words.get(a) ?? 0)).slice(0, MAX_BEGINNINGS)
  const terms = new Set(frequent.map((known) => tokensOf(known)[0]?.term ?? known))
  return [...terms].map((term) => ({ terms: [term], weight: WEIGHTS.beginning }))
}

/** Nearest known words for a word that neither pages nor synonyms contain; [] for known ones. */
function corrections({ word, term, parts }: Token, isLast: boolean, vocabulary: Vocabulary): Token[] {
  const { spellings, terms } = vocabulary
  if (spellings.has(word) || terms.has(term) || isStopWord(word)) return []
  // Digits tell numbers apart, and of names with several parts only settings are long enough for a safe correction.
  if (/\d/.test(word) || (parts.length > 0 && !word.includes('_'))) return []
  if (isLast && beginnings(word, vocabulary).length > 0) return []
  return nearest(word, spellings).flatMap((known) => tokensOf(known)[0] ?? [])
}
