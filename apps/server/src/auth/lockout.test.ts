import { describe, expect, it } from 'vitest'
import { lockoutAfter } from './lockout.ts'

const minutes = (until: number) => until / 60_000

describe('lockout', () => {
  it('allows two failures without a lock', () => {
    expect(lockoutAfter(1, 60, 0)).toEqual({ lockedUntil: 0, expiresAt: 120_000 })
    expect(lockoutAfter(2, 60, 0).lockedUntil).toBe(0)
  })

  it('computes the lockout table of the contract for a maximum of 60 minutes', () => {
    const table = [3, 4, 5, 6, 9].map((attempts) => {
      const { lockedUntil, expiresAt } = lockoutAfter(attempts, 60, 0)
      return [attempts, minutes(lockedUntil), minutes(expiresAt)]
    })
    expect(table).toEqual([
      [3, 1, 2],
      [4, 4, 10],
      [5, 16, 40],
      [6, 60, 60],
      [9, 60, 60],
    ])
  })

  it('never locks with a maximum of 0', () => {
    expect(lockoutAfter(50, 0, 0).lockedUntil).toBe(0)
  })

  it('ends the lock on a whole second, because the header is in seconds', () => {
    expect(lockoutAfter(3, 60, 1_234).lockedUntil % 1_000).toBe(0)
  })
})
