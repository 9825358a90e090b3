import { expect, it } from 'vitest'
import { endure } from './world.ts'

// 2,000 by command: hostile.long.ts, which also holds the times against a limit.
it('an honest client is served beside 300 hostile ones, and the server’s memory is bounded', async () => {
  const { failures, calls, logins, mostMib } = await endure(300, 20)
  expect(failures).toEqual([])
  expect(Math.min(calls, logins)).toBeGreaterThan(0)
  expect(mostMib).toBeLessThanOrEqual(1_024)
})
