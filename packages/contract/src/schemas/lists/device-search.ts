// The search text of device lists: words that occur anywhere in what is known of a device, and words with a keyword that
// look at one property, such as `tag:kiosk`; a minus before a word finds the others. Console and command line read it alike.
import { type Condition, where } from './filter-text.ts'

/** Words of a search: more would exceed the conditions that a filter may have. */
export const MAX_SEARCH_WORDS = 6

/** What a minus makes of an operator. */
const OPPOSITES = { contains: 'ncontains', eq: 'ne' } as const

interface Keyword {
  readonly property: string
  readonly operator: keyof typeof OPPOSITES
}

/** Keywords, each with the property of the filter that it looks at. */
export const SEARCH_KEYWORDS: Readonly<Record<string, Keyword>> = {
  tag: { property: 'tags', operator: 'eq' },
  name: { property: 'name', operator: 'contains' },
  os: { property: 'info.pretty_name', operator: 'contains' },
  arch: { property: 'info.arch', operator: 'eq' },
  agent: { property: 'info.version', operator: 'eq' },
  ip: { property: 'remote_addr', operator: 'contains' },
  mac: { property: 'mac', operator: 'contains' },
  note: { property: 'note', operator: 'contains' },
}

/** Other names of keywords, as people know them from columns and addresses of the console. */
const ALIASES: Readonly<Record<string, string>> = { version: 'agent' }

/**
 * @param name what stands before a colon, in any case
 * @returns the keyword that it means; undefined without one
 */
export function keywordOf(name: string): string | undefined {
  const lower = name.toLowerCase()
  const keyword = Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : lower
  return keyword !== undefined && KEYWORD_NAMES.includes(keyword) ? keyword : undefined
}

/** A whole IPv4 address: `ip:192.0.2.1` is not meant to find 192.0.2.10. */
const WHOLE_ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/u

const operatorFor = ({ property, operator }: Keyword, value: string): Keyword['operator'] =>
  property === 'remote_addr' && WHOLE_ADDRESS.test(value) ? 'eq' : operator

/** What may stand before a colon, for people. */
export const KEYWORD_NAMES: readonly string[] = [...Object.keys(SEARCH_KEYWORDS), 'is']

/** A word, or text in double quotes; both with or without a keyword. */
const WORD = /-?(?:[a-z]+:)?"[^"]*"?|\S+/giu
const KEYED = /^(-?)([a-z]+):(.+)$/isu
/** Nothing to exclude follows the minus: a word like others. */
const BARE_MINUS = /^-+"?$/u

/**
 * @param text of a search field: `tag:kiosk -arch:arm64 is:offline "second floor"`
 * @returns a condition for each of the first six words, all of which must hold. A word with an unknown keyword, such as a
 *   MAC address, is a word like others; so is one in quotes, minus and keyword included, and a minus alone.
 */
export function searchConditions(text: string): Condition[] {
  return wordsOf(text).map(conditionOf).slice(0, MAX_SEARCH_WORDS)
}

/** The text that {@link searchConditions} reads as these conditions; undefined when there is none. */
export function searchTextOf(conditions: readonly Condition[]): string | undefined {
  const words = conditions.map((condition) => wordOf(condition.params))
  return words.includes(undefined) ? undefined : words.join(' ')
}

/** MAC and IPv6 addresses, whole or in part. */
const ADDRESS = /^-?[\da-f]*(?::[\da-f]*)+$/iu

/** The first word whose keyword the search does not have, without its value: it is looked for everywhere. */
export function unknownKeyword(text: string): string | undefined {
  for (const word of wordsOf(text)) {
    const keyword = KEYED.exec(word)?.[2]
    if (keyword !== undefined && keywordOf(keyword) === undefined && !ADDRESS.test(word)) return keyword
  }
  return undefined
}

/** The words of a search text, however many. */
export function wordsOf(text: string): string[] {
  return (text.match(WORD) ?? []).filter((word) => word.replaceAll('"', '') !== '')
}

function conditionOf(word: string): Condition {
  const [, minus, keyword = '', rest = ''] = KEYED.exec(word) ?? []
  const value = unquoted(rest)
  const name = keywordOf(keyword)
  if (name === 'is' && (value === 'online' || value === 'offline')) {
    return where('online', 'bool', (value === 'online') === (minus === ''))
  }
  const known = name === undefined ? undefined : SEARCH_KEYWORDS[name]
  if (known && value !== '') {
    const operator = operatorFor(known, value)
    return where(known.property, minus === '-' ? OPPOSITES[operator] : operator, value)
  }
  const isExcluded = word.startsWith('-') && !BARE_MINUS.test(word)
  return isExcluded ? where('words', 'ncontains', unquoted(word.slice(1))) : where('words', 'contains', unquoted(word))
}

function wordOf({ name, operator, value }: Condition['params']): string | undefined {
  if (name === 'online' && operator === 'bool') return value === true ? 'is:online' : 'is:offline'
  if (typeof value !== 'string') return undefined
  if (name === 'words' && operator === 'contains') return plainWord('', value)
  if (name === 'words' && operator === 'ncontains') return plainWord('-', value)
  const found = Object.entries(SEARCH_KEYWORDS).find(([, { property }]) => property === name)
  if (!found) return undefined
  const [keyword, known] = found
  const usual = operatorFor(known, value)
  if (operator === usual) return `${keyword}:${quoted(value)}`
  return operator === OPPOSITES[usual] ? `-${keyword}:${quoted(value)}` : undefined
}

/** In quotes where it would be read as something else without them. */
function plainWord(minus: '' | '-', value: string): string {
  const word = `${minus}${quoted(value)}`
  const { params } = conditionOf(word)
  const isRead =
    params.name === 'words' && params.value === value && (params.operator === 'ncontains') === (minus === '-')
  return isRead ? word : `${minus}"${value}"`
}

const unquoted = (word: string): string => word.replaceAll('"', '')
const quoted = (value: string): string => (/\s/u.test(value) ? `"${value}"` : value)
