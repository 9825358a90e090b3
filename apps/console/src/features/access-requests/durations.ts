// Times that people choose access for.
import { LIMITS } from '@bowline/contract/limits'
import { formatDuration } from '../../ui/text/numbers.ts'
import { accessMessages as texts } from './messages.ts'

const { min } = LIMITS.accessRequests.minutes
const MINUTES = [15, 30, 60, 120, 240, 480, 720, 1_440, 2_880, 4_320, 10_080] as const

/** Choices up to a limit, which is among them. @param most minutes */
export function durationChoices(most: number): { readonly value: string; readonly label: string }[] {
  const shorter = MINUTES.filter((minutes) => minutes >= min && minutes < most)
  return [...shorter, most].map((minutes) => ({ value: String(minutes), label: formatMinutes(minutes) }))
}

export function formatMinutes(minutes: number): string {
  if (minutes < 60) return texts.minutes(minutes)
  return minutes % 60 === 0 ? texts.hours(minutes / 60) : formatDuration(minutes * 60_000)
}
