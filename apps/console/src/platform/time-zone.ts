// The zone of all times and days of the console: the browser's, or one that the person has chosen in this browser. It stays the
// same until the page is loaded again, as the language does.
import { readSetting, writeSetting } from './local-setting.ts'

const SETTING = 'bowline.time-zone'
const DAY_MS = 86_400_000

/** @returns undefined for none, and for a name that this browser does not know */
export function knownZone(name: string | undefined): string | undefined {
  if (name === undefined || name === '') return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** IANA name; undefined: the browser's, as `Intl` understands it. */
export const timeZone = knownZone(readSetting(SETTING))

/** Stores the choice in this browser and loads the page with it; open terminals continue. @param zone undefined: the browser's */
export function chooseTimeZone(zone: string | undefined): void {
  writeSetting(SETTING, zone ?? '')
  location.reload()
}

/** UTC first, then every zone that this browser knows. */
export function allZones(): readonly string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]
}

/** Local time of the zone at a moment, such as `2026-11-20T13:05:09`. @param ms milliseconds since the epoch */
export function wallTime(ms: number, zone = timeZone): string {
  if (zone === undefined) {
    return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
  }
  // Swedish dates are written as ISO 8601 has them.
  const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone: zone })
  return format.format(ms).replace(' ', 'T')
}

/**
 * The moment at which clocks of the zone show a time, the earlier of two. Where clocks skip it, they still count as before:
 * a skipped 02:30 is 03:30.
 * @param wall as `wallTime` returns it, or without seconds
 * @returns milliseconds since the epoch; NaN for what is no time
 */
export function momentOf(wall: string, zone = timeZone): number {
  if (zone === undefined) return Date.parse(wall)
  const utc = Date.parse(`${wall}Z`)
  if (Number.isNaN(utc)) return utc
  const offsetAt = (ms: number) => Date.parse(`${wallTime(ms, zone)}Z`) - ms
  // An ambiguous local time means the earlier moment, as in browsers.
  const possible = [offsetAt(utc - DAY_MS), offsetAt(utc + DAY_MS)].map((offset) => utc - offset).sort((a, b) => a - b)
  return possible.find((ms) => Date.parse(`${wallTime(ms, zone)}Z`) === utc) ?? utc - offsetAt(utc - DAY_MS)
}

/** The day so many days after another, before it for negative ones. */
export function shiftDay(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10)
}
