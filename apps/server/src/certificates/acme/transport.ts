// HTTPS to an ACME server: bounded in time and size, no redirects, and only to `https://` addresses.
import type { IncomingHttpHeaders } from 'node:http'
import { Agent, request } from 'node:https'
import { VERSION } from '../../platform/version.ts'
import { AcmeError } from './errors.ts'

export interface AcmeAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends one request. @throws {AcmeError} when no whole answer comes */
export type AcmeTransport = (method: 'GET' | 'HEAD' | 'POST', url: string, body?: string) => Promise<AcmeAnswer>

const TIMEOUT_MS = 30_000
/** Chains have some kilobytes. */
const MAX_BYTES = 262_144

/**
 * @param ca PEM certificates to verify the server by; undefined: those of public authorities
 * @param signal ends what is under way
 */
export function createTransport(ca: string | undefined, signal: AbortSignal): AcmeTransport {
  const agent = new Agent({ keepAlive: false, ...(ca === undefined ? {} : { ca }) })
  return (method, url, body) =>
    new Promise((resolve, reject) => {
      const where = addressOf(url)
      const fail = (why: string): void => reject(new AcmeError(`${where.host} ${why}`))
      const headers = {
        'user-agent': `bowline/${VERSION}`,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/jose+json', 'content-length': Buffer.byteLength(body) }),
      }
      const bounds = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
      const call = request(where, { method, agent, headers, signal: bounds }, (response) => {
        const chunks: Buffer[] = []
        let length = 0
        response.on('data', (chunk: Buffer) => {
          length += chunk.length
          if (length <= MAX_BYTES) return void chunks.push(chunk)
          fail('answers with more than an ACME server should')
          response.destroy()
        })
        response.once('error', ({ message }) => fail(`broke off: ${message}`))
        response.once('end', () => {
          const { statusCode: status = 0, headers: answered } = response
          resolve({ status, headers: answered, body: Buffer.concat(chunks).toString() })
        })
      })
      call.once('error', (error: NodeJS.ErrnoException) => {
        if (signal.aborted) return fail('was not asked to the end: the server stops or the order took too long')
        fail(
          bounds.aborted ? `does not answer within ${TIMEOUT_MS / 1_000} s` : `cannot be reached: ${reasonOf(error)}`,
        )
      })
      call.end(body)
    })
}

/** @throws {AcmeError} for anything but https */
function addressOf(url: string): URL {
  const parsed = URL.parse(url)
  if (parsed?.protocol === 'https:') return parsed
  throw new AcmeError('The authority names an address that is not https.')
}

function reasonOf({ message, code }: NodeJS.ErrnoException): string {
  return message || (code ?? 'unknown reason')
}
