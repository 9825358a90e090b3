// Formats numbers, times and durations in the console's language.
import { NEVER } from '@bowline/contract/schemas/common'
import { lazily } from '../../platform/lazily.ts'
import { locale } from '../../platform/language/language.ts'
import { timeZone } from '../../platform/time-zone.ts'
import { uiMessages } from '../messages.ts'

const counts = lazily(() => new Intl.NumberFormat(locale))
const moments = lazily(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone }))
const minutes = lazily(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }))
/** Names the zone: people elsewhere read the same moment, and logs are often in UTC. */
const exact = lazily(
  () =>
    new Intl.DateTimeFormat(locale, {
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'short',
      timeZone,
    }),
)
/** Hours and minutes have the units of durations, which stand beside them: Intl writes `8 hr. ago`. */
const relative = lazily(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' }))
/** The short form of these is `last mo.`. */
const longAgo = lazily(() => new Intl.RelativeTimeFormat(locale, { numeric: 'always' }))

const lists = lazily(() => new Intl.ListFormat(locale))

const alternatives = lazily(() => new Intl.ListFormat(locale, { type: 'disjunction' }))

/** `a, b or c` */
export function formatAlternatives(items: readonly string[]): string {
  return alternatives().format(items)
}

/** `a, b and c` */
export function formatList(items: readonly string[]): string {
  return lists().format(items)
}

export function formatCount(count: number): string {
  return counts().format(count)
}

/** Date and time in the console's zone; the word "never" for the contract's zero time. */
export function formatMoment(time: string): string {
  return time === NEVER ? uiMessages.never : moments().format(new Date(time))
}

/** As `formatMoment`, without seconds: for lists, with the exact moment as its title. */
export function formatMinute(time: string): string {
  return time === NEVER ? uiMessages.never : minutes().format(new Date(time))
}

/** As `formatMoment`, with the name of the zone. */
export function formatExactMoment(time: string): string {
  return time === NEVER ? uiMessages.never : exact().format(new Date(time))
}

const STEPS = [
  { unit: 'year', seconds: 31_536_000 },
  { unit: 'month', seconds: 2_592_000 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const

/**
 * How long ago a moment was.
 * @param time RFC 3339
 * @param nowMs milliseconds since the epoch; a moment in the future counts as now (clocks differ a little)
 */
export function formatAgo(time: string, nowMs: number): string {
  if (time === NEVER) return uiMessages.never
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(time)) / 1000))
  const step = STEPS.find((candidate) => seconds >= candidate.seconds)
  if (!step) return uiMessages.justNow
  const count = Math.floor(seconds / step.seconds)
  if (step.unit === 'hour' || step.unit === 'minute') return uiMessages.ago[step.unit](count)
  return (step.unit === 'day' ? relative() : longAgo()).format(-count, step.unit)
}

/** A duration in its two largest units: `2 h 5 min`, `41 s`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  const days = Math.floor(seconds / 86_400)
  const hours = Math.floor((seconds % 86_400) / 3_600)
  const minutes = Math.floor((seconds % 3_600) / 60)
  if (days > 0) return uiMessages.durations.days(days, hours)
  if (hours > 0) return uiMessages.durations.hours(hours, minutes)
  if (minutes > 0) return uiMessages.durations.minutes(minutes, seconds % 60)
  return uiMessages.durations.seconds(seconds)
}

const names = lazily(() => new Intl.Collator(locale, { numeric: true }))

/** Order of names in lists: as the console's language sorts, with `pi-2` before `pi-10`. */
export function compareNames(a: string, b: string): number {
  return names().compare(a, b)
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** A number of bytes in the largest unit that it fills: `1.2 MB`. */
export function formatBytes(bytes: number): string {
  const step = Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  // The short name of a byte is the same for many: `973 byte`.
  const unitDisplay = step === 0 ? 'long' : 'short'
  const options = { style: 'unit', unit: BYTE_UNITS[step] ?? 'byte', unitDisplay, maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locale, options).format(bytes / 1_000 ** step)
}
