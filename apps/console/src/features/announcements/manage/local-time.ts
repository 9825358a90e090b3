// Values of date and time fields, which are in the browser's zone.

/** Value of a field for a time; '' for none. @param time RFC 3339 */
export function localTime(time: string | undefined): string {
  if (time === undefined) return ''
  const at = new Date(time)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Time of a field's value as RFC 3339; undefined for none. */
export function timeOf(value: string): string | undefined {
  const at = value === '' ? Number.NaN : Date.parse(value)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
