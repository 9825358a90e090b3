// The filter of lists as the API takes it: base64 of conditions with the operators that join them.
import type { Filter } from '@bowline/contract/schemas/filter'

export type Condition = Extract<Filter[number], { type: 'property' }>

/** Conditions of which any, or all, must hold. */
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
 * The filter that every group must pass.
 * @returns undefined without a condition: no filter
 */
export function encodeFilter(groups: readonly ConditionGroup[]): string | undefined {
  const filter: Filter = groups
    .filter(({ conditions }) => conditions.length > 0)
    .flatMap(({ join, conditions }) => [...conditions, { type: 'operator' as const, params: { name: join } }])
  if (filter.length === 0) return undefined
  const bytes = new TextEncoder().encode(JSON.stringify(filter))
  return btoa(String.fromCharCode(...bytes))
}

/** RFC 3339 of a day's beginning in this browser's zone, moved by milliseconds and days (which may have 23 hours). */
export function startOfDay(day: string, milliseconds: number, days = 0): string {
  const date = new Date(`${day}T00:00:00`)
  date.setDate(date.getDate() + days)
  return new Date(date.getTime() + milliseconds).toISOString()
}
