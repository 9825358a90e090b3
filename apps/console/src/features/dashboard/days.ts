// Day strings for URLs.
import { dayOf, daysBefore } from '../../ui/controls/days.ts'

/** The day before, in the console's zone: `2026-11-19`. @param nowMs milliseconds since the epoch */
export function yesterday(nowMs: number): string {
  return daysBefore(dayOf(new Date(nowMs)), 1)
}
