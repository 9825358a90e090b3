import { ManualClock } from '@bowline/base/testing/manual-clock'
import { BowlineError } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import { expect, it } from 'vitest'
import { createRequestLimits } from './request-limits.ts'
import type { RequestContext } from '../route.ts'

const PROXY = '192.0.2.99'
const clock = new ManualClock()
const limits = createRequestLimits(clock, (address) => address === PROXY)

/** Calls without a credential. @returns calls allowed before the first refusal, at most 2,000 */
function callsFrom(source: string): number {
  for (let count = 0; count < 2_000; count += 1) {
    try {
      limits.mayCall(operations.instance.info, { source } as RequestContext)
    } catch (error) {
      if (error instanceof BowlineError && error.code === 'TOO_MANY_REQUESTS') return count
      throw error
    }
  }
  return 2_000
}

it('limits the rate of calls without credentials per source', () => {
  expect(callsFrom('192.0.2.1')).toBe(1_000)
  expect(callsFrom('192.0.2.1')).toBe(0)
  expect(callsFrom('192.0.2.2')).toBe(1_000)
  clock.advance(1_000)
  expect(callsFrom('192.0.2.1')).toBe(100)
})

it('exempts sources shared by many clients from the rate limit', () => {
  expect(callsFrom(PROXY)).toBe(2_000)
})
