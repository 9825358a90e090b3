// Values of date and time fields, which are in the console's zone.
import { momentOf, wallTime } from '../../../platform/time-zone.ts'

/** Value of a field for a time; '' for none. @param time RFC 3339 */
export function localTime(time: string | undefined): string {
  return time === undefined ? '' : wallTime(Date.parse(time)).slice(0, 16)
}

/** Time of a field's value as RFC 3339; undefined for none. */
export function timeOf(value: string): string | undefined {
  const at = value === '' ? Number.NaN : momentOf(value)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
