// An unexpected error inside a running server: it is logged, the process exits with a failure status, and the next
// start works. The error is injected with Node's own `--import`: the server needs no hook for it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '@bowline/contract/operations'
import { type Server, startServer } from './support/server.ts'

/** By a signal each, which nothing else sends to the server. */
const ERRORS = {
  SIGUSR2: `Promise.reject(new Error('planted rejection'))`,
  SIGWINCH: `queueMicrotask(() => { throw new TypeError('planted exception') })`,
} as const
const code = Object.entries(ERRORS).map(([signal, failure]) => `process.on('${signal}',()=>{${failure}});`)
const PLANT = `--import=data:text/javascript,${encodeURIComponent(code.join(''))}`

let server: Server
beforeAll(async () => {
  server = await startServer({ env: { NODE_OPTIONS: PLANT } })
})
afterAll(() => server.remove())

describe('an unexpected error', () => {
  it.each([
    ['SIGUSR2', 'planted rejection'],
    ['SIGWINCH', 'planted exception'],
  ] as const)(
    'ends the server, with a line in the log and status 1; the next start finds everything: %s',
    async (signal, words) => {
      const { process } = server
      process.child.kill(signal)
      expect(await process.ended).toMatchObject({ code: 1 })
      const failures = process
        .output()
        .split('\n')
        .filter((line) => line.includes('server.failed'))
      expect(failures).toEqual([expect.stringContaining(words)])
      await server.start()
      const { call } = await server.client()
      expect((await call(operations.namespaces.list, {})).total).toBe(1)
    },
  )
})
