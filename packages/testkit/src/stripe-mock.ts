// Stripe's own stand-in for its API (stripe-mock): it keeps no state, and refuses each request that does not have the shape
// of Stripe's OpenAPI description. `.ci/run` builds it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const PROGRAM = resolve(import.meta.dirname, '../../../.cache/stripe-mock/stripe-mock')

/** The reason why it cannot run on this machine; undefined when it can. */
export const stripeMockMissing: string | undefined = existsSync(PROGRAM)
  ? undefined
  : 'needs stripe-mock, which .ci/run installs'

export interface StripeMock {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  close(): Promise<void>
}

/** Starts it on loopback. Rejects when it ends before it listens. */
export async function startStripeMock(): Promise<StripeMock> {
  const loopback = '127.0.0.1:0'
  const child = spawn(PROGRAM, ['-http-addr', loopback, '-https-addr', loopback])
  const ended = once(child, 'exit')
  let output = ''
  const port = new Promise<string>((settle) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        const [, listening] = /for HTTP at address: 127\.0\.0\.1:(\d+)/.exec(output) ?? []
        if (listening !== undefined) settle(listening)
      })
    }
  })
  const failed = ended.then((): never => {
    throw new Error(`stripe-mock has ended:\n${output}`)
  })
  failed.catch(() => undefined)
  return {
    origin: `http://127.0.0.1:${await Promise.race([port, failed])}`,
    async close() {
      child.kill()
      await ended
    },
  }
}
