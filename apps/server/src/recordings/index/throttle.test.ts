import { describe, expect, it } from 'vitest'
import { restAfter, watchUse } from './throttle.ts'

describe('a thread whose work can wait', () => {
  it('goes on while the others have little to do', () => {
    expect(restAfter({ elapsed: 10, own: 10, all: 12 })).toBe(0)
  })

  it('rests nine times as long as it worked while they are busy', () => {
    expect(restAfter({ elapsed: 10, own: 4, all: 11 })).toBe(36)
  })

  it('is told what was used since it last looked', () => {
    const look = watchUse()
    const until = performance.now() + 20
    while (performance.now() < until);
    const { elapsed, own, all } = look()
    expect([elapsed >= 20, own > 0, all > 0]).toEqual([true, true, true])
  })
})
