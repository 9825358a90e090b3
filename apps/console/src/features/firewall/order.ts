// Evaluation order of firewall rules: highest priority first; ties newest first (highest id). Pure functions.
import type { Rule } from '@bowline/contract/schemas/firewall'

type Placed = Pick<Rule, 'id' | 'priority'>

/** Largest priority of the API. */
export const MAX_PRIORITY = 2_147_483_647
/** Gap between neighbouring priorities, so that a rule fits between them. */
const GAP = 10

export function inOrder<T extends Placed>(rules: readonly T[]): T[] {
  return rules.toSorted((a, b) => b.priority - a.priority || b.id - a.id)
}

/** Priority of a new rule that is evaluated first. */
export function topPriority(ordered: readonly Placed[]): number {
  const [first] = ordered
  return first ? Math.min(MAX_PRIORITY, first.priority + GAP) : GAP
}

/** Index of the first active rule that matches everything; rules below it are never evaluated. */
export function indexOfLast(ordered: readonly Rule[]): number {
  const index = ordered.findIndex(
    ({ active, source_ip, source_networks, username, people, roles, filter }) =>
      active &&
      people.length === 0 &&
      roles.length === 0 &&
      source_ip === '.*' &&
      source_networks.length === 0 &&
      username === '.*' &&
      filter.hostname === '.*',
  )
  return index < 0 ? ordered.length : index
}
