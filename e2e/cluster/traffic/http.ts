// Reads the numbered lines of the device's service, over HTTP.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

export interface Fetched {
  readonly ended: Promise<{ readonly got: string; readonly cause: string }>
}

/**
 * Asks for them and waits until the first arrive.
 * @param at port on loopback, and the host to ask for
 */
export async function fetchNumbered(
  { port, host }: { readonly port: number; readonly host: string },
  seconds: number,
): Promise<Fetched> {
  const outgoing = request({ host: '127.0.0.1', port, path: `/${seconds}`, headers: { host }, agent: false }).end()
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  const hash = createHash('sha256')
  const { promise: ended, resolve } = Promise.withResolvers<{ got: string; cause: string }>()
  outgoing.on('error', () => undefined)
  answer.on('data', (chunk: Buffer) => hash.update(chunk))
  answer.on('error', () => undefined)
  answer.on('close', () => {
    const isWhole = answer.complete && answer.statusCode === 200
    resolve({ got: hash.digest('hex'), cause: isWhole ? '' : `the answer ${answer.statusCode} was cut off` })
  })
  return { ended }
}
