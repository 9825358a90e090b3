// The order in which rules are asked, and what must change to move one. Pure.
// Asked are the highest priority first and, of equal ones, the newest first (the highest id).
import type { Rule } from '@bowline/contract/schemas/firewall'

type Placed = Pick<Rule, 'id' | 'priority'>

/** Largest priority of the API. */
export const MAX_PRIORITY = 2_147_483_647
/** Left between neighbours where there is room, so that later moves change one rule only. */
const GAP = 10

export interface PriorityChange {
  readonly id: number
  readonly priority: number
}

export function inOrder<T extends Placed>(rules: readonly T[]): T[] {
  return rules.toSorted((a, b) => b.priority - a.priority || b.id - a.id)
}

/** Priority of a new rule that is asked first. */
export function topPriority(ordered: readonly Placed[]): number {
  const [first] = ordered
  return first ? Math.min(MAX_PRIORITY, first.priority + GAP) : GAP
}

/**
 * The changes that move a rule to another place, in the order in which they must be made: after each of them the rules
 * that are not moved stand as before among each other.
 * @param ordered rules as they are asked
 * @param from index of the rule
 * @param to its index afterwards
 * @returns undefined when there is no room above (priorities are at their limit)
 */
export function planMove(ordered: readonly Placed[], from: number, to: number): PriorityChange[] | undefined {
  const moved = ordered[from]
  if (!moved || from === to || to < 0 || to >= ordered.length) return []
  const others = ordered.toSpliced(from, 1)
  const above = others.slice(0, to)
  const below = others[to]
  const nearest = above.at(-1)
  const floor = below ? below.priority + 1 : 0
  if (!nearest) {
    const room = MAX_PRIORITY - floor
    return room < 0 ? undefined : [{ id: moved.id, priority: floor + Math.min(GAP - 1, room) }]
  }
  if (nearest.priority > floor) {
    const middle = floor + Math.floor((nearest.priority - 1 - floor) / 2)
    const own = below ? middle : Math.max(floor, nearest.priority - GAP)
    return [{ id: moved.id, priority: own }]
  }
  // No room: what stands above moves up, the topmost first, until there is a gap.
  const raised: PriorityChange[] = []
  let needed = floor + GAP
  for (const rule of above.toReversed()) {
    if (rule.priority >= needed) break
    if (needed > MAX_PRIORITY) return undefined
    raised.unshift({ id: rule.id, priority: needed })
    needed += GAP
  }
  return [...raised, { id: moved.id, priority: floor }]
}

/** Index of the first active rule that decides about everything; what stands below is never asked. */
export function indexOfLast(ordered: readonly Rule[]): number {
  const index = ordered.findIndex(
    ({ active, source_ip, username, filter }) =>
      active && source_ip === '.*' && username === '.*' && filter.hostname === '.*',
  )
  return index < 0 ? ordered.length : index
}
