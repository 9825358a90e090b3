// Changes of firewall rules, as the audit log has them, and how each is taken back. Pure.
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import { Rule, RuleBody } from '@bowline/contract/schemas/firewall'
import type { Member } from '@bowline/contract/schemas/namespace'
import { describeFilter } from '../tags/device-choice.ts'
import { ANY } from '../tags/pattern-field.tsx'
import { firewallMessages } from './messages.ts'
import { subjectsText } from './subjects.ts'

const texts = firewallMessages.history

/** A part of a rule that has changed, in words; '' for a rule that was not there. */
export interface Change {
  readonly label: string
  readonly before: string
  readonly after: string
}

/** Restores the state before a change. */
export type Restoring =
  | { readonly kind: 'save'; readonly before: Rule; readonly body: RuleBody }
  | { readonly kind: 'add'; readonly body: RuleBody }
  | { readonly kind: 'order'; readonly order: readonly number[] }

// Entries of earlier versions lack what rules did not have then.
const Kept = Rule.extend({
  source_networks: Rule.shape.source_networks.default([]),
  people: Rule.shape.people.default([]),
  roles: Rule.shape.roles.default([]),
})
const Ids = Rule.shape.id.array()

const ruleOf = (kept: unknown): Rule | undefined => Kept.safeParse(kept).data

export function changesOf({ details }: Pick<AuditEntry, 'details'>, members: readonly Member[]): Change[] {
  return differences(ruleOf(details['before']), ruleOf(details['after']), members)
}

/** The parts that differ between a rule before and after; all of one that is made or removed. */
export function differences(before: Rule | undefined, after: Rule | undefined, members: readonly Member[]): Change[] {
  return (['action', 'active', 'source', 'username', 'people', 'devices', 'priority'] as const)
    .map((part) => ({
      label: texts.parts[part],
      before: before ? inWords(before, part, members) : '',
      after: after ? inWords(after, part, members) : '',
    }))
    .filter((change) => change.before !== change.after)
}

type Part = keyof typeof texts.parts

function inWords(rule: Rule, part: Part, members: readonly Member[]): string {
  const pattern = (text: string, any: string): string => (text === ANY ? any : text)
  const { action, active, source_networks: networks, source_ip, username, filter, priority } = rule
  const words: Record<Part, string> = {
    action: firewallMessages.actions[action],
    active: active ? texts.on : texts.off,
    source: networks.length > 0 ? networks.join(', ') : pattern(source_ip, firewallMessages.anywhere),
    username: pattern(username, firewallMessages.anybody),
    people: subjectsText(rule, members) ?? firewallMessages.anyone,
    devices: describeFilter(filter),
    priority: String(priority),
  }
  return words[part]
}

/**
 * @param rules those that are there now, in order
 * @returns undefined where there is nothing to bring back: the rule was made, or is as it was
 */
export function restoringOf({ details }: Pick<AuditEntry, 'details'>, rules: readonly Rule[]): Restoring | undefined {
  const order = Ids.safeParse(details['before']).data
  if (order) return restoredOrder(order, rules)
  const before = ruleOf(details['before'])
  if (!before) return undefined
  const { id, tenant_id: _, ...body } = before
  const now = rules.find((rule) => rule.id === id)
  if (!now) return { kind: 'add', body }
  return JSON.stringify(Kept.parse(now)) === JSON.stringify(before) ? undefined : { kind: 'save', before: now, body }
}

/** Rules that came later keep their places behind those that were there. */
function restoredOrder(order: readonly number[], rules: readonly Rule[]): Restoring | undefined {
  const now = rules.map(({ id }) => id)
  const kept = order.filter((id) => now.includes(id))
  const restored = [...kept, ...now.filter((id) => !kept.includes(id))]
  return restored.every((id, index) => id === now[index]) ? undefined : { kind: 'order', order: restored }
}
