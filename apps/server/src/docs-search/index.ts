// The search index: MiniSearch in memory over the records of the documentation. Records are ranked by how well their
// words match and by the share of the query they answer: complete matches first, else those with the largest share.
import { setImmediate } from 'node:timers/promises'
import MiniSearch from 'minisearch'
import { type Concept, type Vocabulary, conceptsOf } from './concepts.ts'
import { type DocsRecord, LEVELS } from './records.ts'
import { type SynonymList, type Synonyms, createSynonyms } from './synonyms.ts'
import { type Token, termsOf, tokensOf } from './words.ts'

/** Fields with the weight of a match; headings above a text count little. */
const BOOSTS = { title: 8, own: 6, about: 0.8, above: 2, content: 2 } as const
const FIELDS = Object.keys(BOOSTS) as (keyof typeof BOOSTS)[]
/** Weight of a record by kind: a page is a better answer than one of its paragraphs. */
const KINDS: Readonly<Record<DocsRecord['type'], number>> = {
  lvl0: 1,
  lvl1: 6,
  lvl2: 4,
  lvl3: 3,
  lvl4: 2,
  lvl5: 1.5,
  lvl6: 1.5,
  content: 1,
}
/** The reference has many similar pages, so guides rank above it. */
const REFERENCE = 0.35
/** Weight of a word found elsewhere on the record's page but not in the record. */
const ELSEWHERE = 0.4
/** Exponent of the answered share, which penalises records that answer only part of the query. */
const STRICTNESS = 3
/** Records below this fraction of the best share are dropped. */
const MIN_SHARE = 0.6
/** Bonus for adjacent words of the query that are adjacent in the text, and per word if all of them are. */
const PHRASE = { pairs: 0.6, whole: 3 }

/** Records indexed at once, some milliseconds' worth. */
const SLICE = 20

export interface Found {
  /** Best first, at most one per address. */
  readonly records: readonly DocsRecord[]
  /** Searched terms, for highlighting. */
  readonly terms: ReadonlySet<string>
}

export interface SearchIndex {
  /** Returns nothing for a query without words. */
  find(query: string): Found
  readonly size: number
}

interface Indexed extends Record<keyof typeof BOOSTS, string> {
  readonly id: string
}
type Engine = MiniSearch<Indexed>

/** Scores of the records that answer one concept, by record id. */
type Scores = ReadonlyMap<string, number>

/**
 * Builds the index in slices, between which the process serves others: it carries sessions while somebody opens the
 * documentation.
 */
export async function createSearchIndex(
  records: readonly DocsRecord[],
  synonyms: SynonymList = {},
): Promise<SearchIndex> {
  const byId = new Map(records.map((record) => [record.objectID, record]))
  // Pages repeat their words: each is taken apart once.
  const known = new Map<string, Token>()
  const tokenize = (text: string): string[] => termsOf(text, known)
  const engine: Engine = new MiniSearch<Indexed>({ fields: FIELDS, tokenize, processTerm: (term) => term })
  const texts = new Map<string, readonly string[]>()
  const vocabulary = emptyVocabulary(createSynonyms(synonyms))
  for (let at = 0; at < records.length; at += SLICE) {
    const slice = records.slice(at, at + SLICE)
    const indexed = slice.map(toIndexed)
    engine.addAll(indexed)
    for (const record of slice) texts.set(record.objectID, sequenceOf(record.content ?? ownHeading(record), known))
    addWords(vocabulary, indexed, known)
    await setImmediate()
  }
  return {
    size: records.length,
    find(query) {
      const phrase = sequenceOf(query)
      const concepts = conceptsOf(query, vocabulary)
      const answers = concepts.map((concept) => scoresOf(engine, concept, byId))
      return {
        records: best(rank(answers, byId, (id) => together(texts.get(id) ?? [], phrase))),
        terms: new Set(concepts.flatMap((concept) => concept.flatMap(({ terms }) => terms))),
      }
    },
  }
}

function scoresOf(engine: Engine, concept: Concept, byId: ReadonlyMap<string, DocsRecord>): Scores {
  const scores = new Map<string, number>()
  for (const { terms, weight } of concept) {
    const found = engine.search(terms.join(' '), {
      tokenize: (text) => text.split(' '),
      boost: BOOSTS,
      combineWith: 'AND',
      boostDocument: (id) => worthOf(byId.get(String(id))),
    })
    for (const { id, score } of found) {
      scores.set(String(id), Math.max(scores.get(String(id)) ?? 0, score * weight))
    }
  }
  return scores
}

/** Sorts records best first. A concept without any answer does not count against them. */
function rank(
  answers: readonly Scores[],
  byId: ReadonlyMap<string, DocsRecord>,
  bonus: (id: string) => number,
): DocsRecord[] {
  const asked = answers
    .filter((scores) => scores.size > 0)
    .map((scores) => ({
      scores,
      // Rare words weigh more.
      weight: Math.log(1 + byId.size / scores.size),
      pages: new Set([...scores.keys()].flatMap((id) => pageOf(byId.get(id)) ?? [])),
    }))
  const whole = asked.reduce((sum, { weight }) => sum + weight, 0)
  const ids = new Set(asked.flatMap(({ scores }) => [...scores.keys()]))
  const ranked = [...ids].flatMap((id) => {
    const record = byId.get(id)
    if (!record) return []
    const page = pageOf(record) ?? ''
    let share = 0
    let sum = 0
    for (const { scores, weight, pages } of asked) {
      const score = scores.get(id)
      sum += score ?? 0
      share += weight * (score !== undefined ? 1 : pages.has(page) ? ELSEWHERE : 0)
    }
    share /= whole
    return [{ record, share, worth: sum * share ** STRICTNESS * (1 + bonus(id)) }]
  })
  const most = ranked.reduce((max, { share }) => Math.max(max, share), 0)
  return ranked
    .filter(({ share }) => share >= most * MIN_SHARE)
    .toSorted((a, b) => b.worth - a.worth)
    .map(({ record }) => record)
}

const pageOf = (record: DocsRecord | undefined): string | undefined => record?.url.replace(/#.*/, '')

/** Terms of a text in order. */
function sequenceOf(text: string, known?: Map<string, Token>): string[] {
  return tokensOf(text, known).map(({ term }) => term)
}

/** Bonus of a text in which adjacent words of the query are adjacent. */
function together(text: readonly string[], phrase: readonly string[]): number {
  if (phrase.length < 2) return 0
  const pairs = phrase.slice(1).filter((term, i) => text.some((one, at) => one === phrase[i] && text[at + 1] === term))
  const hasAll =
    pairs.length === phrase.length - 1 && text.some((_, at) => phrase.every((term, i) => text[at + i] === term))
  return (PHRASE.pairs * pairs.length) / (phrase.length - 1) + (hasAll ? PHRASE.whole * phrase.length : 0)
}

function worthOf(record: DocsRecord | undefined): number {
  if (!record) return 0
  return KINDS[record.type] * (record.hierarchy.lvl0 === 'API' ? REFERENCE : 1)
}

function ownHeading({ type, hierarchy }: DocsRecord): string {
  return type === 'content' ? '' : (hierarchy[type] ?? '')
}

function toIndexed(record: DocsRecord): Indexed {
  const { objectID, type, content, about, hierarchy } = record
  const own = ownHeading(record)
  const above = LEVELS.filter((level) => level !== type && level !== 'lvl1').flatMap((level) => hierarchy[level] ?? [])
  return {
    id: objectID,
    title: type === 'lvl1' ? own : '',
    own: type === 'lvl1' ? '' : own,
    about: about ?? '',
    above: [...(type === 'lvl1' ? [] : [hierarchy.lvl1 ?? '']), ...above].join(' '),
    content: content ?? '',
  }
}

interface GrowingVocabulary extends Vocabulary {
  readonly words: Map<string, number>
  readonly terms: Set<string>
  readonly spellings: Map<string, number>
}

function emptyVocabulary(synonyms: Synonyms): GrowingVocabulary {
  const spellings = new Map([...synonyms.words].map((word) => [word, 0]))
  return { words: new Map(), terms: new Set(), synonyms, spellings }
}

function addWords(vocabulary: GrowingVocabulary, indexed: readonly Indexed[], known: Map<string, Token>): void {
  const { words, terms, spellings } = vocabulary
  for (const one of indexed) {
    for (const { word, term, parts } of FIELDS.flatMap((field) => tokensOf(one[field], known))) {
      terms.add(term)
      for (const each of [word, ...parts]) {
        const count = (words.get(each) ?? 0) + 1
        words.set(each, count)
        spellings.set(each, count)
      }
    }
  }
}

/** Keeps the first record of each address. */
function best(records: readonly DocsRecord[]): DocsRecord[] {
  const seen = new Set<string>()
  return records.filter(({ url }) => {
    if (seen.has(url)) return false
    seen.add(url)
    return true
  })
}
