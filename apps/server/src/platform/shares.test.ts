import { describe, expect, it } from 'vitest'
import { createShares } from './shares.ts'

describe('shares', () => {
  it('are refused to a holder that has its number, and to nobody else', () => {
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

  it('are refused to all when the total is held', () => {
    const shares = createShares(1, { person: 2 })
    shares.take({ person: 'ada' })
    expect(shares.take({ person: 'bob' }).refused).toBe('total')
  })

  it('come back once, however often they are given back', () => {
    const shares = createShares(10, { person: 1 })
    const first = shares.take({ person: 'ada' })
    first.release()
    first.release()
    expect(shares.count).toBe(0)
    expect(shares.take({ person: 'ada' }).refused).toBeUndefined()
    expect([shares.take({ person: 'ada' }).refused, shares.count]).toEqual(['person', 1])
  })
})
