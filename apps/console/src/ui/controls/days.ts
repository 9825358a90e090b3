// Days of the console's time zone, as `2026-11-20`, and ranges of them.
import { lazily } from '../../platform/lazily.ts'
import { locale } from '../../platform/language/language.ts'
import { shiftDay, wallTime } from '../../platform/time-zone.ts'
import { uiMessages } from '../messages.ts'

/** Both are part of it; undefined: no limit on that side. */
export interface Days {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const texts = uiMessages.days
const medium = lazily(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }))

/** Noon, so that no change of the clocks moves it to another day. */
function dateOf(day: string): Date {
  return new Date(`${day}T12:00:00`)
}

/** `2026-11-20` in the console's zone. */
export function dayOf(date: Date): string {
  return wallTime(date.getTime()).slice(0, 10)
}

export function daysBefore(day: string, count: number): string {
  return shiftDay(day, -count)
}

export function formatDay(day: string): string {
  return medium().format(dateOf(day))
}

/** `Nov 20 – 25, 2026`; '' without a limit. */
export function rangeText({ from, to }: Days): string {
  if (from !== undefined && to !== undefined) return medium().formatRange(dateOf(from), dateOf(to))
  if (from !== undefined) return texts.since(formatDay(from))
  return to === undefined ? '' : texts.until(formatDay(to))
}

/** Ranges that people ask for most, all of which end today or yesterday. */
export function presets(today: string): readonly { readonly name: string; readonly days: Required<Days> }[] {
  const yesterday = daysBefore(today, 1)
  return [
    { name: texts.today, days: { from: today, to: today } },
    { name: texts.yesterday, days: { from: yesterday, to: yesterday } },
    { name: texts.lastDays(7), days: { from: daysBefore(today, 6), to: today } },
    { name: texts.lastDays(30), days: { from: daysBefore(today, 29), to: today } },
    { name: texts.lastDays(90), days: { from: daysBefore(today, 89), to: today } },
  ]
}
