import { expect, it } from 'vitest'
import { killWhileSending } from './crash.ts'

it('sends every committed mail once or twice although the server is killed twenty times', async () => {
  const outcome = await killWhileSending(20)
  expect(outcome).toMatchObject({ written: 200, lost: 0 })
  expect(outcome.most).toBe(2)
}, 900_000)
