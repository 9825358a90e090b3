import { describe, expect, it } from 'vitest'
import { createShares } from './shares.ts'

describe('shares', () => {
  it('refuses a share to a holder at its limit only', () => {
    const shares = createShares(10, { person: 2, source: 3 })
    const take = (person: string, source: string) => shares.take({ person, source }).refused
    expect([take('ada', 'a'), take('ada', 'a'), take('ada', 'a'), take('bob', 'a')]).toEqual([
      undefined,
      undefined,
      'person',
      undefined,
    ])
    expect([take('carl', 'a'), take('carl', 'b')]).toEqual(['source', undefined])
  })

  it('refuses every share when the total is held', () => {
    const shares = createShares(1, { person: 2 })
    shares.take({ person: 'ada' })
    expect(shares.take({ person: 'bob' }).refused).toBe('total')
  })

  it('releases a share once even if released twice', () => {
    const shares = createShares(10, { person: 1 })
    const first = shares.take({ person: 'ada' })
    first.release()
    first.release()
    expect(shares.count).toBe(0)
    expect(shares.take({ person: 'ada' }).refused).toBeUndefined()
    expect([shares.take({ person: 'ada' }).refused, shares.count]).toEqual(['person', 1])
  })
})
