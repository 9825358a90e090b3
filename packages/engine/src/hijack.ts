// A request whose connection becomes a raw stream (`Upgrade: tcp`): input and output of a process.
import type { Duplex } from 'node:stream'
import type { Clock } from '@bowline/base/clock'
import { EngineError, asEngineError } from './errors.ts'
import type { EngineTarget } from './target.ts'
import { HEADERS_MS, failureOf, send } from './request.ts'

/**
 * Sends a call and waits until the engine has switched to a raw stream.
 * @returns the paused socket, with everything that followed the headers. Its owner handles `error`
 * @throws {EngineError}
 */
export async function hijack(target: EngineTarget, clock: Clock, path: string, body: object): Promise<Duplex> {
  const outgoing = await send(target, { method: 'POST', path, body, upgrade: true })
  return new Promise((resolve, reject) => {
    const cancel = clock.after(HEADERS_MS, () => outgoing.destroy(new EngineError('the engine did not answer in time')))
    outgoing.once('upgrade', (_, socket, head) => {
      cancel()
      socket.pause()
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    outgoing.once('response', (response) => {
      cancel()
      const { statusCode: status = 0 } = response
      if (status >= 300) return void failureOf(response, clock).then(reject, reject)
      response.destroy()
      reject(new EngineError('the engine did not switch to a raw stream'))
    })
    outgoing.on('error', (error) => {
      cancel()
      reject(asEngineError(error))
    })
  })
}

/**
 * Ends the input of a process; its output goes on. Ended between two records of TLS that came together, Node's TLS
 * would drop the later ones: its shutdown looks for the other side's and discards data that it finds. By the next turn
 * every record that has come was read.
 */
export function endInput(socket: Duplex): void {
  setImmediate(() => socket.end())
}
