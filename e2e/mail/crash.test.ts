import { expect, it } from 'vitest'
import { killWhileSending } from './crash.ts'

// 20 kills by command: crash.long.ts.
it('sends every committed mail once or twice although the server is killed while it sends', async () => {
  const outcome = await killWhileSending(2)
  expect(outcome).toMatchObject({ written: 20, lost: 0 })
  expect(outcome.most).toBeLessThanOrEqual(2)
})
