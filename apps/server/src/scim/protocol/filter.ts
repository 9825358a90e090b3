// Filters of lists (RFC 7644 section 3.4.2.2): `eq` joined by `and`, which is what providers ask. Everything else is
// refused, because an answer to another question would make them change the wrong people. Pure.
import { fail } from '@bowline/contract/errors'
import { UNSTORABLE, isStorableText } from '../../platform/input/storable.ts'
import { type Condition, readCondition } from './paths.ts'

export const FILTER_LENGTH = 1_000
const MAX_CONDITIONS = 8

/** Words and quoted texts; a quote that is never closed matches nothing. */
const PIECE = /"(?:[^"\\]|\\.)*"|\[|\]|[^\s"[\]]+|\s+/gy

/**
 * @param known attributes that may be asked for, in lower case
 * @throws {BowlineError} INVALID_FILTER
 */
export function parseFilter(text: string, known: readonly string[]): Condition[] {
  if (text.length > FILTER_LENGTH)
    return fail('INVALID_FILTER', { rule: `must have at most ${FILTER_LENGTH} characters` })
  const conditions = splitByAnd(text).map((part) => readOne(part, known))
  if (conditions.length > MAX_CONDITIONS) {
    return fail('INVALID_FILTER', { rule: `must have at most ${MAX_CONDITIONS} conditions` })
  }
  if (conditions.some(({ value }) => typeof value === 'string' && !isStorableText(value))) {
    return fail('INVALID_FILTER', { rule: UNSTORABLE })
  }
  return conditions
}

function splitByAnd(text: string): string[] {
  const parts = ['']
  let depth = 0
  let read = 0
  for (const [piece] of text.matchAll(PIECE)) {
    read += piece.length
    if (piece === '[') depth += 1
    if (piece === ']') depth -= 1
    if (depth === 0 && piece.toLowerCase() === 'and') parts.push('')
    else parts[parts.length - 1] += piece
  }
  if (read !== text.length || depth !== 0)
    return fail('INVALID_FILTER', { rule: 'has a quote or bracket without its end' })
  return parts
}

/** `members[value eq "…"]` and `emails[type eq "work"].value eq "…"` are accepted like their short forms. */
const WHOLE = /^\s*([a-z]+)\[(.*)\]\s*$/is
const OF_WORK = /^\s*emails\[\s*type\s+eq\s+"work"\s*\]/i

function readOne(text: string, known: readonly string[]): Condition {
  const [, list, inner] = WHOLE.exec(text) ?? []
  const nested = inner === undefined ? undefined : readCondition(inner)
  const condition =
    nested && list
      ? { ...nested, attribute: `${list.toLowerCase()}.${nested.attribute}` }
      : readCondition(text.replace(OF_WORK, 'emails'))
  if (!condition) return fail('INVALID_FILTER', { rule: 'may have conditions like userName eq "ada", joined by and' })
  const { attribute } = condition
  const name = attribute === 'emails' || attribute === 'members' ? `${attribute}.value` : attribute
  if (!known.includes(name)) return fail('INVALID_FILTER', { rule: `may not ask for ${attribute.slice(0, 60)}` })
  return { ...condition, attribute: name }
}
