// Encodes list filters for the API, with times of this browser.
export { type Condition, type ConditionGroup, encodeFilter, where } from '@bowline/contract/schemas/lists/filter-text'

/** RFC 3339 start of a day in this browser's time zone, offset by milliseconds and days (a day may have 23 hours). */
export function startOfDay(day: string, milliseconds: number, days = 0): string {
  const date = new Date(`${day}T00:00:00`)
  date.setDate(date.getDate() + days)
  return new Date(date.getTime() + milliseconds).toISOString()
}
