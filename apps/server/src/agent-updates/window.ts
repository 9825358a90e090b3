// The maintenance window of a namespace: part of each day, in UTC.

/** @param window minutes after midnight and length; undefined: any time @param now milliseconds since 1970 */
export function isWithin(
  window: { readonly start: number; readonly minutes: number } | undefined,
  now: number,
): boolean {
  if (window === undefined) return true
  const minute = Math.floor(now / 60_000) % 1_440
  return (minute - window.start + 1_440) % 1_440 < window.minutes
}
