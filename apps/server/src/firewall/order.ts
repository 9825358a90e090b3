// Evaluation order of rules: highest priority first, newest first among equals. Pure.
interface Placed {
  readonly id: number
  readonly priority: number
}

/** Gap between neighbouring priorities, so that a rule can be inserted. */
const GAP = 10

export function inOrder<T extends Placed>(rules: readonly T[]): T[] {
  return rules.toSorted((a, b) => b.priority - a.priority || b.id - a.id)
}

/**
 * Priority changes that put the rules into another order. Existing priorities are reassigned; if several rules share
 * one, the order cannot be expressed with them and all get new ones.
 * @param rules in their current order
 * @param ids of the same rules in the requested order
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
