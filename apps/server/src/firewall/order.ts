// The order in which rules are asked: the highest priority first and, of equal ones, the newest. Pure.
interface Placed {
  readonly id: number
  readonly priority: number
}

/** Left between neighbours, so that a rule can be put between them. */
const GAP = 10

export function inOrder<T extends Placed>(rules: readonly T[]): T[] {
  return rules.toSorted((a, b) => b.priority - a.priority || b.id - a.id)
}

/**
 * What must change so that rules are asked in another order. Their priorities stay and are only handed out anew; where
 * several rules share one, an order cannot be said with them, and all get new ones.
 * @param rules as they are asked now
 * @param ids of the same rules, the one that is asked first at the front
 * @returns priorities by id, of the rules that change
 */
export function prioritiesFor(rules: readonly Placed[], ids: readonly number[]): ReadonlyMap<number, number> {
  const now = new Map(rules.map(({ id, priority }) => [id, priority]))
  const isShared = new Set(now.values()).size < rules.length
  const priorities = isShared
    ? ids.map((_, place) => (ids.length - place) * GAP)
    : rules.map(({ priority }) => priority)
  const wanted = ids.map((id, place): [number, number] => [id, priorities[place] ?? 0])
  return new Map(wanted.filter(([id, priority]) => now.get(id) !== priority))
}
