import { expect, it } from 'vitest'
import { herdComesBack } from './herd.ts'

it('2,000 agents come back to a server that was killed, and people get in meanwhile', async () => {
  expect(await herdComesBack(2_000)).toEqual({ registered: 2_001, online: 2_001 })
}, 600_000)
