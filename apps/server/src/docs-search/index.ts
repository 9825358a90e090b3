// The search index: MiniSearch in memory over the records of the documentation. All words of a query must be found, the
// last one as a beginning, longer ones also with a typing error. One hit for each address: its best record.
import MiniSearch from 'minisearch'
import { type DocsRecord, LEVELS } from './records.ts'

/** Fields with what a match in them is worth; of the headings above a text little. */
const BOOSTS = { title: 8, own: 6, above: 2, content: 2 } as const
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
const SHORTEST_WITH_TYPO = 5
const LONG = 8

/** Words that decide nothing in a question. */
const STOP_WORDS = new Set([
  'a',
  'an',
  'and',
  'do',
  'for',
  'how',
  'i',
  'in',
  'is',
  'my',
  'of',
  'on',
  'the',
  'to',
  'what',
  'with',
])

export interface SearchIndex {
  /** Records by their worth for a query, at most one for each address. [] for a query without words. */
  find(query: string): readonly DocsRecord[]
  readonly size: number
}

interface Indexed extends Record<keyof typeof BOOSTS, string> {
  readonly id: string
}

export function createSearchIndex(records: readonly DocsRecord[]): SearchIndex {
  const byId = new Map(records.map((record) => [record.objectID, record]))
  const engine = new MiniSearch<Indexed>({
    fields: FIELDS,
    tokenize: words,
    processTerm: (term) => term,
  })
  engine.addAll(records.map(toIndexed))
  return {
    size: records.length,
    find(query) {
      const asked = words(query)
      const terms = asked.some((word) => !STOP_WORDS.has(word)) ? asked.filter((word) => !STOP_WORDS.has(word)) : asked
      if (terms.length === 0) return []
      const found = engine.search(terms.join(' '), {
        boost: BOOSTS,
        combineWith: 'AND',
        // The last word may still be being typed.
        prefix: (_, index, all) => index === all.length - 1,
        fuzzy: (term) => (term.length < SHORTEST_WITH_TYPO || /\d/.test(term) ? false : term.length < LONG ? 1 : 2),
        weights: { fuzzy: 0.25, prefix: 0.6 },
        boostDocument: (id) => worthOf(byId.get(String(id))),
      })
      return best(found.flatMap(({ id }) => byId.get(String(id)) ?? []))
    },
  }
}

function worthOf(record: DocsRecord | undefined): number {
  if (!record) return 0
  return KINDS[record.type] * (record.hierarchy.lvl0 === 'API' ? REFERENCE : 1)
}

function toIndexed({ objectID, type, content, hierarchy }: DocsRecord): Indexed {
  const own = type === 'content' ? '' : (hierarchy[type] ?? '')
  const above = LEVELS.filter((level) => level !== type && level !== 'lvl1').flatMap((level) => hierarchy[level] ?? [])
  return {
    id: objectID,
    title: type === 'lvl1' ? own : '',
    own: type === 'lvl1' ? '' : own,
    above: [...(type === 'lvl1' ? [] : [hierarchy.lvl1 ?? '']), ...above].join(' '),
    content: content ?? '',
  }
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

/**
 * Words in lower case. Names such as `BOWLINE_HOST` and `max_devices` are found whole and by their parts, `tagging`
 * and `tags` by the same stem as `tag`.
 */
export function words(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap((word) =>
    word.includes('_')
      ? [
          word,
          ...word
            .split('_')
            .filter((part) => part !== '')
            .map(stem),
        ]
      : [stem(word)],
  )
}

/** A light English stem: enough to bring plurals and -ing forms together, `adding` and `add` as well. */
function stem(word: string): string {
  return ending(word).replace(/([b-df-hj-np-rtv-z])\1$/, '$1')
}

function ending(word: string): string {
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3)
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1)
  return word
}
