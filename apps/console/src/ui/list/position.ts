// Formats a geographic position for people.

import { locale } from '../../platform/language/language.ts'

const degrees = new Intl.NumberFormat(locale, {
  style: 'unit',
  unit: 'degree',
  unitDisplay: 'narrow',
  maximumFractionDigits: 2,
})

interface Position {
  /** Degrees, north positive. */
  readonly latitude: number
  /** Degrees, east positive. */
  readonly longitude: number
}

/** `52.52° N, 13.4° E`; undefined for 0, 0, the API's value for "unknown". */
export function formatPosition({ latitude, longitude }: Position): string | undefined {
  if (latitude === 0 && longitude === 0) return undefined
  const northSouth = `${degrees.format(Math.abs(latitude))} ${latitude < 0 ? 'S' : 'N'}`
  return `${northSouth}, ${degrees.format(Math.abs(longitude))} ${longitude < 0 ? 'W' : 'E'}`
}
