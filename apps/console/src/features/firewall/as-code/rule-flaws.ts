// Validation errors of proposed rules for people who write them as JSON: the rule, the field and the allowed values.
import { DeviceFilter } from '@bowline/contract/schemas/tag'
import { RuleBody } from '@bowline/contract/schemas/firewall'
import { DryRunBody } from '@bowline/contract/schemas/policy/dry-run'
import type { ProposedRule } from '@bowline/contract/schemas/policy/rule-changes'
import type { z } from 'zod'
import { serverText } from '../../../platform/language/server-text.ts'
import { formatAlternatives, formatList } from '../../../ui/text/numbers.ts'
import { fileMessages } from './messages.ts'

const texts = fileMessages.flaws
type Issue = z.core.$ZodRawIssue

/** `tenant_id` is in what `bowline firewall list --json` prints; it is the same for all rules, and not read. */
const FIELDS = [...Object.keys(RuleBody.shape), 'id', 'tenant_id']
const FILTER_FIELDS = Object.keys(DeviceFilter.shape)

type Judged =
  | { readonly rules: readonly ProposedRule[]; readonly flaws?: undefined }
  | { readonly rules?: undefined; readonly flaws: readonly string[] }

export function judgeRules(list: readonly unknown[]): Judged {
  const { data, error } = DryRunBody.safeParse({ rules: list }, { error: predicateOf })
  const unknown = list.flatMap((rule, index) => unknownFields(rule, index + 1))
  const flaws = [...(error?.issues ?? []).map(sentenceOf), ...unknown]
  return data && flaws.length === 0 ? { rules: data.rules ?? [] } : { flaws }
}

/** Fields that the schema would ignore: a misspelt one would not do what it says. */
function unknownFields(rule: unknown, number: number): string[] {
  const named = (value: unknown, known: readonly string[], prefix: string): string[] =>
    isRecord(value)
      ? Object.keys(value)
          .filter((field) => !known.includes(field))
          .map((field) => texts.unknown(number, `${prefix}${field}`, formatList(known)))
      : []
  const filter = isRecord(rule) ? rule['filter'] : undefined
  return [...named(rule, FIELDS, ''), ...named(filter, FILTER_FIELDS, 'filter.')]
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sentenceOf({ path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
  const [, index, ...field] = path
  const flaw = serverText(message)
  if (typeof index !== 'number') return texts.all(flaw)
  return field.length === 0 ? texts.rule(index + 1, flaw) : texts.field(index + 1, nameOf(field), flaw)
}

/** `filter.tags, entry 2` */
function nameOf(field: readonly PropertyKey[]): string {
  const last = field.at(-1)
  return typeof last === 'number' ? texts.entry(nameOf(field.slice(0, -1)), last + 1) : field.map(String).join('.')
}

/** Error text for issues that have no message in the contract; the parser prefers it to its own. */
function predicateOf(issue: Issue): string {
  if (issue.input === undefined) return texts.missing
  if (issue.code === 'invalid_value') {
    return texts.oneOf(formatAlternatives(issue.values.map((value) => JSON.stringify(value))), shown(issue.input))
  }
  // An id is read as a number first.
  if (Number.isNaN(issue.input)) return texts.notNumber
  if (issue.code === 'invalid_type') return texts.types(shown(issue.input))[issue.expected] ?? texts.wrong
  if (issue.code === 'too_big') return texts.atMost(Number(issue.maximum))[issue.origin] ?? texts.wrong
  if (issue.code === 'too_small') return texts.atLeast(Number(issue.minimum))[issue.origin] ?? texts.wrong
  return texts.wrong
}

/** Characters of a wrong value that are repeated to the person. */
const SHOWN = 40

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
