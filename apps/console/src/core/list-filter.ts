// Encodes list filters for the API: base64 of conditions joined by operators.
import type { Filter } from '@bowline/contract/schemas/filter'

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

/** RFC 3339 start of a day in this browser's time zone, offset by milliseconds and days (a day may have 23 hours). */
export function startOfDay(day: string, milliseconds: number, days = 0): string {
  const date = new Date(`${day}T00:00:00`)
  date.setDate(date.getDate() + days)
  return new Date(date.getTime() + milliseconds).toISOString()
}
