import { expect, it } from 'vitest'
import { endure } from './world.ts'

it('an honest client is served in time beside 2,000 hostile ones, and the server’s memory is bounded', async () => {
  const { failures, p99, mostMib } = await endure(2_000, 60)
  expect(failures).toEqual([])
  expect(mostMib).toBeLessThanOrEqual(1_024)
  expect(p99).toBeLessThanOrEqual(250)
}, 600_000)
