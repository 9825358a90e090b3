// Encodes list filters for the API, with days of the console's zone.
import { momentOf, shiftDay } from '../platform/time-zone.ts'

export { type Condition, type ConditionGroup, encodeFilter, where } from '@bowline/contract/schemas/lists/filter-text'

/** RFC 3339 start of a day in the console's time zone, offset by milliseconds and days (a day may have 23 hours). */
export function startOfDay(day: string, milliseconds: number, days = 0): string {
  return new Date(momentOf(`${shiftDay(day, days)}T00:00:00`) + milliseconds).toISOString()
}
