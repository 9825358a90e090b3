import { expect, it } from 'vitest'
import { herdComesBack } from './herd.ts'

it('reconnects 2,000 agents after the server was killed, and people get in meanwhile', async () => {
  expect(await herdComesBack(2_000)).toEqual({ registered: 2_001, online: 2_001 })
}, 600_000)
