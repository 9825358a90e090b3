import { expect, it } from 'vitest'
import { herdComesBack } from './herd.ts'

// 2,000 by command: herd.long.ts. Duration and event loop delay are measured by the bench's row `restart`.
it('reconnects 300 agents after the server was killed, and people get in meanwhile', { timeout: 300_000 }, async () => {
  expect(await herdComesBack(300)).toEqual({ registered: 301, online: 301 })
})
