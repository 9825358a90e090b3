// The search index: MiniSearch in memory over the records of the documentation. A record is ranked by how well its words
// answer the query's, and by how much of the query it answers: records with all of it come first, and when there are
// none, those with most.
import MiniSearch from 'minisearch'
import { type Concept, type Vocabulary, conceptsOf } from './concepts.ts'
import { type DocsRecord, LEVELS } from './records.ts'
import { type SynonymList, type Synonyms, createSynonyms } from './synonyms.ts'
import { termsOf, tokensOf } from './words.ts'

/** Fields with what a match in them is worth; of the headings above a text little. */
const BOOSTS = { title: 8, own: 6, about: 0.8, above: 2, content: 2 } as const
const FIELDS = Object.keys(BOOSTS) as (keyof typeof BOOSTS)[]
/** What a record is worth by its kind: a page is a better answer than a paragraph of it. */
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
/** The reference has many pages that say much the same: a guide comes first. */
const REFERENCE = 0.35
/** What a word is worth that is not in the record but elsewhere on its page. */
const ELSEWHERE = 0.4
/** How much a record loses that answers a part of the query only: its share of the query to this power. */
const STRICTNESS = 3
/** Records that answer less than this part of what the best one answers are no answer. */
const MIN_SHARE = 0.6
/** What a record gains when neighbours of the query stand side by side in it, and for each word when all of them do. */
const PHRASE = { pairs: 0.6, whole: 3 }

export interface Found {
  /** By their worth for the query, at most one for each address. */
  readonly records: readonly DocsRecord[]
  /** The terms that were looked for, to be marked. */
  readonly terms: ReadonlySet<string>
}

export interface SearchIndex {
  /** Nothing for a query without words. */
  find(query: string): Found
  readonly size: number
}

interface Indexed extends Record<keyof typeof BOOSTS, string> {
  readonly id: string
}
type Engine = MiniSearch<Indexed>

/** What a query's concept is worth in each record that answers it, by the record's id. */
type Scores = ReadonlyMap<string, number>

export function createSearchIndex(records: readonly DocsRecord[], synonyms: SynonymList = {}): SearchIndex {
  const byId = new Map(records.map((record) => [record.objectID, record]))
  const engine: Engine = new MiniSearch<Indexed>({ fields: FIELDS, tokenize: termsOf, processTerm: (term) => term })
  const indexed = records.map(toIndexed)
  engine.addAll(indexed)
  const texts = new Map(records.map((record) => [record.objectID, sequenceOf(record.content ?? ownHeading(record))]))
  const vocabulary = vocabularyOf(indexed, createSynonyms(synonyms))
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

/** Records with the best first. A concept that nothing answers is not held against them. */
function rank(
  answers: readonly Scores[],
  byId: ReadonlyMap<string, DocsRecord>,
  bonus: (id: string) => number,
): DocsRecord[] {
  const asked = answers
    .filter((scores) => scores.size > 0)
    .map((scores) => ({
      scores,
      // Rare words say more.
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

/** Terms of a text in their order. */
function sequenceOf(text: string): string[] {
  return tokensOf(text).map(({ term }) => term)
}

/** What a text gains from having neighbours of the query as neighbours. */
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

function vocabularyOf(indexed: readonly Indexed[], synonyms: Synonyms): Vocabulary {
  const words = new Map<string, number>()
  const terms = new Set<string>()
  for (const one of indexed) {
    for (const { word, term, parts } of FIELDS.flatMap((field) => tokensOf(one[field]))) {
      terms.add(term)
      for (const each of [word, ...parts]) words.set(each, (words.get(each) ?? 0) + 1)
    }
  }
  const ofSynonyms = [...synonyms.words].map((word) => [word, 0] as const)
  return { words, terms, synonyms, spellings: new Map([...ofSynonyms, ...words]) }
}

/** Each address once, by its first record. */
function best(records: readonly DocsRecord[]): DocsRecord[] {
  const seen = new Set<string>()
  return records.filter(({ url }) => {
    if (seen.has(url)) return false
    seen.add(url)
    return true
  })
}
