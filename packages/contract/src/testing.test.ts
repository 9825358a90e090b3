import { assert, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allOperations } from './operations.ts'
import { example, fitting, nearly } from './testing.ts'

const withBody = allOperations().flatMap(({ id, operation: { body } }) => (body ? [{ id, body }] : []))

describe('inputs made from the contract', () => {
  it.each(withBody)('generates an example for the body of $id', ({ body }) => {
    const taken = body.safeParse(example(body))
    expect(taken.success).toBe(true)
  })

  it('generates mostly valid inputs, and invalid ones of every kind', () => {
    const [login] = withBody.filter(({ id }) => id === 'auth.login')
    const taken = { fitting: 0, nearly: 0 }
    for (const [kind, make] of Object.entries({ fitting, nearly })) {
      if (!login) throw new Error('auth.login has gone')
      assert(
        property(make(login.body), (value) => {
          if (login.body.safeParse(value).success) taken[kind === 'fitting' ? 'fitting' : 'nearly'] += 1
        }),
        { seed: 1, numRuns: 100 },
      )
    }
    expect(taken.fitting).toBe(100)
    expect(taken.nearly).toBeGreaterThan(5)
    expect(taken.nearly).toBeLessThan(95)
  })
})
