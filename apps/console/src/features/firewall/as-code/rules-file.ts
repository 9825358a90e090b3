// Firewall rules as a text that people edit, keep in a repository, and bring back. Pure.
import type { Rule } from '@bowline/contract/schemas/firewall'
import { DryRunBody } from '@bowline/contract/schemas/policy/dry-run'
import type { ProposedRule } from '@bowline/contract/schemas/policy/rule-changes'
import { serverText } from '../../../platform/language/server-text.ts'
import { bodyOf } from '../actions.ts'
import { fileMessages as texts } from './messages.ts'

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
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    const line = /line (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
    return { flaws: [line ? texts.notJsonAt(line) : texts.notJson] }
  }
  if (!Array.isArray(json)) return { flaws: [texts.notList] }
  const { data, error } = DryRunBody.safeParse({ rules: json })
  if (error) return { flaws: error.issues.map(flawOf) }
  const rules = data.rules ?? []
  const flaws = idFlaws(
    rules.flatMap(({ id }) => id ?? []),
    present,
  )
  return flaws.length > 0 ? { flaws } : { rules }
}

function flawOf({ path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
  const [, index, ...field] = path
  return typeof index === 'number' && field.length > 0
    ? texts.flaw(index + 1, field.join('.'), serverText(message))
    : `${serverText(message)}.`
}

function idFlaws(ids: readonly number[], present: readonly Rule[]): string[] {
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
  const known = new Set(present.map(({ id }) => id))
  return [...new Set(twice)]
    .map((id) => texts.twice(id))
    .concat(ids.filter((id) => !known.has(id)).map((id) => texts.unknown(id)))
}
