// Parsers of arguments whose typed form differs from the API's.
import { ConfigError } from '@bowline/contract/config'

/** Converts `2030-01-01` (UTC) or `2030-01-01T12:00:00Z`. @throws {ConfigError} naming the option */
export function parseTime(option: string, typed: string): Date {
  const at = Date.parse(typed)
  if (Number.isNaN(at)) throw new ConfigError([`${option} must be a time such as 2030-01-01 or 2030-01-01T12:00:00Z.`])
  return new Date(at)
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Converts `30m`, `12h` or `7d` to milliseconds. @throws {ConfigError} naming the option */
export function parseAge(option: string, typed: string): number {
  const match = /^(\d{1,5})([mhd])$/.exec(typed)
  const unit = match?.[2]
  if (match && (unit === 'm' || unit === 'h' || unit === 'd')) return Number(match[1]) * UNIT_MS[unit]
  throw new ConfigError([`${option} must be a number of minutes, hours or days such as 30m, 12h or 7d.`])
}
