// A fake Bowline server: the contract's operations over an in-memory namespace, with the built console on the same
// port. For developing and testing the console; it speaks no SSH.
import { type Server, createServer } from 'node:http'
import { BowlineError, type ErrorCode, fail } from '@bowline/contract/errors'
import type { Operation } from '@bowline/contract/operation'
import { Credentials } from './fake-credentials.ts'
import { Routes, answerCall, sendFailure, serveConsole } from './fake-http.ts'
import { bindOperations } from './fake-operations.ts'
import { FakeState } from './fake-state.ts'

export interface FakeServer {
  readonly origin: string
  readonly state: FakeState
  readonly credentials: Credentials
  /** Makes the next `times` calls of this operation fail with the code. */
  failNext(operation: Operation, code: ErrorCode, times?: number): void
  /** While true, every API call answers 503; turning it on ends the streams. */
  setDown(down: boolean): void
  close(): Promise<void>
}

/**
 * Starts the server on loopback.
 * @param consoleFolder folder of the built console
 * @param port 0 for any free port
 */
export async function startFakeServer(consoleFolder: string, port = 0): Promise<FakeServer> {
  const state = new FakeState()
  const credentials = new Credentials()
  const routes = new Routes()
  bindOperations(routes, state, credentials)
  const planned = new Map<Operation, { code: ErrorCode; times: number }>()
  let down = false

  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://fake').pathname
    if (!path.startsWith('/api/') && path !== '/info') {
      void serveConsole(consoleFolder, path, response)
      return
    }
    if (down) {
      sendFailure(response, new BowlineError('UNAVAILABLE', { what: 'the database does not answer' }))
      return
    }
    void answerCall(routes, { request, response }, (operation) => {
      const plan = planned.get(operation)
      if (plan && plan.times > 0) {
        plan.times -= 1
        fail(plan.code)
      }
      if (operation.access.kind !== 'public' && !credentials.isValid(request.headers.authorization)) {
        fail('UNAUTHORIZED')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))

  return {
    origin: originOf(server),
    state,
    credentials,
    failNext: (operation, code, times = 1) => void planned.set(operation, { code, times }),
    setDown(next) {
      down = next
      if (down) credentials.endStreams()
    },
    async close() {
      credentials.endStreams()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function originOf(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The fake server has no port.')
  return `http://127.0.0.1:${address.port}`
}
