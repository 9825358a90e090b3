import { describe, expect, it } from 'vitest'
import { restAfter, watchUse } from './throttle.ts'

describe('background thread throttle', () => {
  it('continues without rest while other threads are idle', () => {
    expect(restAfter({ elapsed: 10, own: 10, all: 12 })).toBe(0)
  })

  it('rests nine times its own use while other threads are busy', () => {
    expect(restAfter({ elapsed: 10, own: 4, all: 11 })).toBe(36)
  })

  it('measures use since the last call', () => {
    const look = watchUse()
    const until = performance.now() + 20
    while (performance.now() < until);
    const { elapsed, own, all } = look()
    expect([elapsed >= 20, own > 0, all > 0]).toEqual([true, true, true])
  })
})
