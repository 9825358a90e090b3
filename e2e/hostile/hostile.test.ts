import { expect, it } from 'vitest'
import { runHostile } from './world.ts'

// 2,000 by command: hostile.long.ts, which also asserts limits on the times.
it('serves an honest client next to 300 hostile ones, in bounded memory', async () => {
  const { failures, calls, logins, maxMib } = await runHostile(300, 20)
  expect(failures).toEqual([])
  expect(Math.min(calls, logins)).toBeGreaterThan(0)
  expect(maxMib).toBeLessThanOrEqual(1_024)
})
