import { expect, it } from 'vitest'
import { runHostile } from './world.ts'

it('serves an honest client in time next to 2,000 hostile ones, in bounded memory', async () => {
  const { failures, p99, maxMib } = await runHostile(2_000, 60)
  expect(failures).toEqual([])
  expect(maxMib).toBeLessThanOrEqual(1_024)
  expect(p99).toBeLessThanOrEqual(250)
}, 600_000)
