import { expect, it } from 'vitest'
import { herdComesBack } from './herd.ts'

// 2,000 by command: herd.long.ts. How fast, and how long the event loop stands still: the bench's row `restart`.
it('300 agents come back to a server that was killed, and people get in meanwhile', async () => {
  expect(await herdComesBack(300)).toEqual({ registered: 301, online: 301 })
})
