import { describe, expect, it } from 'vitest'
import { endOf, expiresSoon } from './expiry.ts'

const NOW_MS = Date.parse('2026-11-20T12:00:00Z')
const inDays = (days: number) => ({ expires_in: NOW_MS / 1000 + days * 86_400 })

describe('an API key', () => {
  it.each([
    [0.1, true],
    [6.9, true],
    [7.1, false],
    [-0.1, false],
  ])('judges whether a key that expires in %s days expires soon: %s', (days, soon) => {
    expect(expiresSoon(inDays(days), NOW_MS)).toBe(soon)
  })

  it('has no expiry time for a key that never expires', () => {
    expect(endOf({ expires_in: -1 })).toBeUndefined()
    expect(expiresSoon({ expires_in: -1 }, NOW_MS)).toBe(false)
  })
})
