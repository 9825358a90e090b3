// Firewall rules as a text that people edit, keep in a repository, and bring back. Pure.
import type { Rule } from '@bowline/contract/schemas/firewall'
import type { ProposedRule } from '@bowline/contract/schemas/policy/rule-changes'
import { bodyOf } from '../actions.ts'
import { type Place, jsonFlaw } from './json-flaw.ts'
import { fileMessages as texts } from './messages.ts'
import { judgeRules } from './rule-flaws.ts'

/** As `bowline firewall list --json` prints them, without what is the same for all. */
export function toText(rules: readonly Rule[]): string {
  const listed = rules.map((rule) => ({ id: rule.id, ...bodyOf(rule) }))
  return `${JSON.stringify(listed, undefined, 2)}\n`
}

export type Read =
  | { readonly rules: readonly ProposedRule[]; readonly flaws?: undefined }
  | { readonly rules?: undefined; readonly flaws: readonly string[] }

/**
 * Reads the rules of a text.
 * @param present rules of the namespace: ids must be theirs
 */
export function readRules(text: string, present: readonly Rule[]): Read {
  const place = jsonFlaw(text)
  if (place) return { flaws: [text.trim() === '' ? texts.empty : sentenceOf(place)] }
  const json: unknown = JSON.parse(text)
  if (!Array.isArray(json)) return { flaws: [texts.notList] }
  const judged = judgeRules(json)
  if (!judged.rules) return judged
  const { rules } = judged
  const flaws = idFlaws(
    rules.flatMap(({ id }) => id ?? []),
    present,
  )
  return flaws.length > 0 ? { flaws } : { rules }
}

function sentenceOf({ line, column, isEnd }: Place): string {
  return isEnd ? texts.endsEarly(line) : texts.notJson(line, column)
}

function idFlaws(ids: readonly number[], present: readonly Rule[]): string[] {
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
  const known = new Set(present.map(({ id }) => id))
  return [...new Set(twice)]
    .map((id) => texts.twice(id))
    .concat(ids.filter((id) => !known.has(id)).map((id) => texts.unknown(id)))
}
