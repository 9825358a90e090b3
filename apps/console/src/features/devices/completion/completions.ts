// Completions of the word at the cursor in the device search: keywords first, then values of the list.
import { KEYWORD_NAMES, keywordOf } from '@bowline/contract/schemas/lists/device-search'
import type { FacetName } from '@bowline/contract/operations/devices'
import { completionMessages as texts } from './messages.ts'

export interface Completion {
  /** Replaces the word. A keyword goes on with its value; after a value comes the next word. */
  readonly text: string
  readonly note: string
}

export interface Word {
  /** Offsets of its start and end in the text. */
  readonly from: number
  readonly to: number
  /** A minus before it: the other devices. */
  readonly minus: '' | '-'
  /** Lower case; undefined without a keyword of the search. */
  readonly keyword: string | undefined
  /** The typed part of the value or word up to the cursor, without quotes. */
  readonly typed: string
}

/** A value that devices of the list have, and how many. */
export interface Value {
  readonly value: string
  readonly count: number
}

const SHOWN = 8
const SHOWN_TAGS = 3
/** Fewer characters begin nearly every tag. */
const TAG_CHARS = 2

const PRESENCES = ['online', 'offline']

const FACETS: Readonly<Record<string, FacetName>> = { tag: 'tag', os: 'system', arch: 'arch', agent: 'version' }

/** @param caret index in the text */
export function wordAt(text: string, caret: number): Word {
  let from = 0
  let isQuoted = false
  for (let index = 0; index < caret; index += 1) {
    if (text[index] === '"') isQuoted = !isQuoted
    if (!isQuoted && /\s/u.test(text[index] ?? '')) from = index + 1
  }
  const rest = isQuoted ? /^[^"]*"?/u : /^\S*/u
  const to = caret + (rest.exec(text.slice(caret))?.[0].length ?? 0)
  const [, minus = '', before, after = ''] = /^(-?)(?:([a-z]+):)?(.*)$/isu.exec(text.slice(from, caret)) ?? []
  const keyword = before === undefined ? undefined : keywordOf(before)
  const typed = keyword !== undefined || before === undefined ? after : `${before}:${after}`
  const word = { from, to, keyword, typed: typed.replaceAll('"', '') }
  return { ...word, minus: minus === '-' ? '-' : '' }
}

/** The property whose values complete the word; undefined where there are none. */
export function facetOf({ keyword, typed }: Word): FacetName | undefined {
  if (keyword !== undefined) return FACETS[keyword]
  return typed.length >= TAG_CHARS ? 'tag' : undefined
}

/**
 * @param values of {@link facetOf}, those that most devices have first
 * @returns nothing for a word that is complete
 */
export function completionsOf(word: Word, values: readonly Value[]): Completion[] {
  const { keyword, minus, typed } = word
  const wanted = typed.toLowerCase()
  if (keyword === undefined) {
    const tags = typed.length >= TAG_CHARS ? values.filter(({ value }) => begins(value, wanted)) : []
    return [
      ...KEYWORD_NAMES.filter((each) => each.startsWith(wanted)).map((each) => ({
        text: `${minus}${each}:`,
        note: (minus === '-' && texts.excluding[each]) || (texts.keywords[each] ?? ''),
      })),
      ...tags.slice(0, SHOWN_TAGS).map((tag) => completed(minus, 'tag', tag)),
    ]
  }
  if (keyword === 'is') {
    return PRESENCES.filter((each) => each.startsWith(wanted) && each !== wanted).map((each) => ({
      text: `${minus}is:${each} `,
      note: (minus === '-' ? texts.absences : texts.presences)[each] ?? '',
    }))
  }
  const fits = values.filter(({ value }) => value.toLowerCase().includes(wanted) && value.toLowerCase() !== wanted)
  const first = fits.filter(({ value }) => begins(value, wanted))
  const inside = fits.filter(({ value }) => !begins(value, wanted))
  return [...first, ...inside].slice(0, SHOWN).map((value) => completed(minus, keyword, value))
}

const begins = (value: string, wanted: string): boolean => value.toLowerCase().startsWith(wanted)

/** The count is of the devices that have the value: of those that a minus leaves out. */
function completed(minus: string, keyword: string, { value, count }: Value): Completion {
  const quoted = /\s/u.test(value) ? `"${value}"` : value
  return { text: `${minus}${keyword}:${quoted} `, note: minus === '' ? texts.devices(count) : '' }
}

/** @returns the text with the completion in place of the word, and where the cursor is then */
export function completedText(
  text: string,
  { from, to }: Word,
  completion: Completion,
): { text: string; caret: number } {
  const after = text.slice(to).trimStart()
  const gap = after === '' || completion.text.endsWith(' ') ? '' : ' '
  return { text: `${text.slice(0, from)}${completion.text}${gap}${after}`, caret: from + completion.text.length }
}
