// The changes that make the firewall rules of a namespace those of a file: rules as code.
import type { Rule, RuleBody } from '../firewall.ts'
import type { DryRunBody } from './dry-run.ts'
import { identityOf } from './rule-identity.ts'

export type ProposedRule = NonNullable<DryRunBody['rules']>[number]

/** One call. */
export type RuleChange =
  | { readonly kind: 'add'; readonly body: RuleBody }
  | { readonly kind: 'replace'; readonly id: number; readonly body: RuleBody }
  | { readonly kind: 'remove'; readonly id: number }

/**
 * The changes that make the present rules the wanted ones. A wanted rule with an id replaces that one; without one it is the
 * present rule that does the same, or new. In between nobody reaches more than before or after: what denies is added first
 * and removed last.
 * @param present of the namespace
 * @param wanted every rule as it shall be; ids are those of present rules
 */
export function changesTo(present: readonly Rule[], wanted: readonly ProposedRule[]): RuleChange[] {
  const left = new Map(present.map((rule) => [rule.id, rule]))
  const named = wanted.flatMap(({ id, ...body }) => (id === undefined ? [] : [{ id, body, before: left.get(id) }]))
  for (const { id } of named) left.delete(id)
  const replaced = named.filter(
    ({ body, before }) => !before || identityOf({ ...before, ...body }) !== identityOf(before),
  )
  const added = wanted.filter((rule) => {
    if (rule.id !== undefined) return false
    const same = [...left.values()].find((one) => identityOf(one) === identityOf(rule))
    if (same) left.delete(same.id)
    return !same
  })
  const written = [
    ...added.map((body): RuleChange & { body: RuleBody } => ({ kind: 'add', body })),
    ...replaced.map(({ id, body }): RuleChange & { body: RuleBody } => ({ kind: 'replace', id, body })),
  ]
  const removed = [...left.values()].map(({ id, action }) => ({ action, change: { kind: 'remove', id } as const }))
  const writtenAs = (action: Rule['action']) => written.filter(({ body }) => body.action === action)
  const removedAs = (wantedAction: Rule['action']) =>
    removed.filter(({ action }) => action === wantedAction).map(({ change }) => change)
  return [...writtenAs('deny'), ...removedAs('allow'), ...writtenAs('allow'), ...removedAs('deny')]
}
