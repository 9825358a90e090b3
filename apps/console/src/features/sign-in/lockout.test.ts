import { ApiError } from '@bowline/contract/client'
import { expect, it } from 'vitest'
import { formatCountdown, lockoutEnd, lockoutMs } from './lockout.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const seconds = NOW / 1000

it('measures the lockout with the server’s clock, not this machine’s', () => {
  const headers = new Headers({ 'x-account-lockout': String(seconds + 90), date: new Date(NOW).toUTCString() })
  expect(lockoutMs(headers, NOW + 3_600_000)).toBe(90_000)
})

it('falls back to this machine’s clock when the server sends no date', () => {
  expect(lockoutMs(new Headers({ 'x-account-lockout': String(seconds + 60) }), NOW)).toBe(60_000)
})

it.each(['0', '', 'soon', String(seconds - 5)])('finds no lockout in %j', (value) => {
  expect(lockoutMs(new Headers({ 'x-account-lockout': value }), NOW)).toBe(0)
})

it('finds no lockout in failures without an answer', () => {
  expect(lockoutEnd(new TypeError('fetch failed'))).toBe(0)
  expect(lockoutEnd(new ApiError(401, {}, new Headers({ 'x-account-lockout': '0' })))).toBe(0)
})

it.each([
  [59_001, '1:00'],
  [59_000, '0:59'],
  [900, '0:01'],
  [3_600_000, '60:00'],
])('formats %d ms as %s', (milliseconds, text) => {
  expect(formatCountdown(milliseconds)).toBe(text)
})
