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

/**
 * For each rule, the index of the first active one above it that matches whatever it matches, or undefined. Patterns are
 * compared as text: rules that overlap in another way are not found.
 */
export function shadows(ordered: readonly Rule[]): (number | undefined)[] {
  return ordered.map((rule, at) => {
    const above = ordered.findIndex((other, index) => index < at && other.active && covers(other, rule))
    return above < 0 ? undefined : above
  })
}

/** Whether `wide` matches every connection that `narrow` does. */
function covers(wide: Rule, narrow: Rule): boolean {
  return (
    (isForAnyone(wide) || same(subjectsOf(wide), subjectsOf(narrow))) &&
    (isFromAnywhere(wide) || same(sourceOf(wide), sourceOf(narrow))) &&
    (wide.username === ANY || wide.username === narrow.username) &&
    (wide.filter.hostname === ANY || same(wide.filter, narrow.filter))
  )
}

const ANY = '.*'
const isForAnyone = ({ people, roles }: Rule) => people.length === 0 && roles.length === 0
const isFromAnywhere = ({ source_ip, source_networks }: Rule) => source_ip === ANY && source_networks.length === 0
const subjectsOf = ({ people, roles }: Rule) => [people.toSorted(), roles.toSorted()]
const sourceOf = ({ source_ip, source_networks }: Rule) => [source_ip, source_networks.toSorted()]
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
