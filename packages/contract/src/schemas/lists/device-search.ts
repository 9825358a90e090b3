// The search text of device lists: words that occur anywhere in what is known of a device, and words with a keyword that
// look at one property, such as `tag:kiosk`. Console and command line read it alike.
import { type Condition, where } from './filter-text.ts'

/** Words of a search: more would exceed the conditions that a filter may have. */
export const MAX_SEARCH_WORDS = 6

interface Keyword {
  readonly property: string
  readonly operator: 'contains' | 'eq'
  /** `-keyword:value` finds the others; only whole values can be excluded. */
  readonly negates?: true
}

/** Keywords, each with the property of the filter that it looks at. */
export const SEARCH_KEYWORDS: Readonly<Record<string, Keyword>> = {
  tag: { property: 'tags', operator: 'eq', negates: true },
  name: { property: 'name', operator: 'contains' },
  os: { property: 'info.pretty_name', operator: 'contains' },
  arch: { property: 'info.arch', operator: 'eq', negates: true },
  agent: { property: 'info.version', operator: 'eq', negates: true },
  ip: { property: 'remote_addr', operator: 'contains' },
  mac: { property: 'mac', operator: 'contains' },
  note: { property: 'note', operator: 'contains' },
}

/** A word, or text in double quotes; both with or without a keyword. */
const WORD = /-?(?:[a-z]+:)?"[^"]*"?|\S+/giu
const KEYED = /^(-?)([a-z]+):(.+)$/isu

/**
 * @param text of a search field: `tag:kiosk -arch:arm64 is:offline "second floor"`
 * @returns a condition for each of the first six words, all of which must hold. A word with an unknown keyword, such as a
 *   MAC address, is a word like others.
 */
export function searchConditions(text: string): Condition[] {
  return wordsOf(text).map(conditionOf).slice(0, MAX_SEARCH_WORDS)
}

/** The text that {@link searchConditions} reads as these conditions; undefined when there is none. */
export function searchTextOf(conditions: readonly Condition[]): string | undefined {
  const words = conditions.map((condition) => wordOf(condition.params))
  return words.includes(undefined) ? undefined : words.join(' ')
}

/** The words of a search text, however many. */
export function wordsOf(text: string): string[] {
  return (text.match(WORD) ?? []).filter((word) => word.replaceAll('"', '') !== '')
}

function conditionOf(word: string): Condition {
  const [, minus, keyword = '', rest = ''] = KEYED.exec(word) ?? []
  const value = unquoted(rest)
  const name = keyword.toLowerCase()
  if (name === 'is' && (value === 'online' || value === 'offline')) {
    return where('online', 'bool', (value === 'online') === (minus === ''))
  }
  const known = Object.hasOwn(SEARCH_KEYWORDS, name) ? SEARCH_KEYWORDS[name] : undefined
  if (!known || value === '' || (minus === '-' && !known.negates)) return where('words', 'contains', unquoted(word))
  return where(known.property, minus === '-' ? 'ne' : known.operator, value)
}

function wordOf({ name, operator, value }: Condition['params']): string | undefined {
  if (name === 'online' && operator === 'bool') return value === true ? 'is:online' : 'is:offline'
  if (typeof value !== 'string') return undefined
  if (name === 'words' && operator === 'contains') return quoted(value)
  const found = Object.entries(SEARCH_KEYWORDS).find(([, { property }]) => property === name)
  if (!found) return undefined
  const [keyword, known] = found
  if (operator === known.operator) return `${keyword}:${quoted(value)}`
  return operator === 'ne' && known.negates ? `-${keyword}:${quoted(value)}` : undefined
}

const unquoted = (word: string): string => word.replaceAll('"', '')
const quoted = (value: string): string => (/\s/u.test(value) ? `"${value}"` : value)
