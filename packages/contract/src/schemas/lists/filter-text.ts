// Builds the filter parameter of lists: base64 of conditions joined by operators.
import type { Filter } from '../filter.ts'

export type Condition = Extract<Filter[number], { type: 'property' }>

/** Conditions joined by "any" or "all". */
export interface ConditionGroup {
  readonly join: 'or' | 'and'
  readonly conditions: readonly Condition[]
}

export function where(
  name: string,
  operator: Condition['params']['operator'],
  value: Condition['params']['value'],
): Condition {
  return { type: 'property', params: { name, operator, value } }
}

/**
 * Builds a filter that requires every group.
 * @returns undefined when there is no condition
 */
export function encodeFilter(groups: readonly ConditionGroup[]): string | undefined {
  const filter: Filter = groups
    .filter(({ conditions }) => conditions.length > 0)
    .flatMap(({ join, conditions }) => [...conditions, { type: 'operator' as const, params: { name: join } }])
  if (filter.length === 0) return undefined
  const bytes = new TextEncoder().encode(JSON.stringify(filter))
  return btoa(String.fromCharCode(...bytes))
}
