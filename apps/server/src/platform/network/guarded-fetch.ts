// Requests to addresses that an administrator typed: the egress check decides what may be dialled, the checked address
// is dialled, redirects are not followed, and size and time are limited.
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { CIPHERS_OF_STRANGERS } from '@bowline/base/tls-clients'
import { type EgressRules, judgeEgress } from './egress.ts'

/** Statuses of a `Response` (Fetch, section 2.2.3). */
const MAX_STATUS = 599
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

export interface GuardedRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Largest answer, in bytes. */
  readonly maxBytes: number
  /** The caller needs the status only: a larger answer is left unread, and the body that is returned is empty. */
  readonly statusOnly?: true
  /** For the whole exchange, in milliseconds. */
  readonly timeoutMs: number
}

/** A request that was refused or failed; the message is fit for administrators. */
export class FetchRefused extends Error {}

/**
 * Sends one request. Plain http is for addresses that the operator allows explicitly.
 * @throws {FetchRefused}
 */
export async function guardedFetch(address: string, rules: EgressRules, wanted: GuardedRequest): Promise<Response> {
  const url = URL.parse(address)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '') {
    throw new FetchRefused('it is not a plain https address')
  }
  const answer = await judgeEgress(url.hostname, rules)
  if ('refused' in answer) throw new FetchRefused(answer.refused)
  if (url.protocol === 'http:' && !rules.allowed(answer.address)) throw new FetchRefused('it must begin with https://')
  return send(url, answer.address, wanted)
}

function send(url: URL, address: string, wanted: GuardedRequest) {
  const { method = 'GET', headers, body, maxBytes, statusOnly = false, timeoutMs } = wanted
  const family = address.includes(':') ? 6 : 4
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise<Response>((resolve, reject) => {
    const refuse = (reason: string): void => reject(new FetchRefused(reason))
    const outgoing = request(url, {
      method,
      agent: false,
      ciphers: CIPHERS_OF_STRANGERS,
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        ...headers,
        'accept-encoding': 'identity',
        ...(body ? { 'content-length': Buffer.byteLength(body) } : {}),
      },
      lookup: (_, options, done) => {
        if (options.all) done(null, [{ address, family }])
        else done(null, address, family)
      },
    })
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = []
      let bytes = 0
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxBytes && statusOnly) {
          answer()
          incoming.destroy()
        } else if (bytes > maxBytes) incoming.destroy(new FetchRefused(`its answer is larger than ${maxBytes} bytes`))
        else if (!statusOnly) chunks.push(chunk)
      })
      incoming.on('error', (error) => refuse(reasonOf(error)))
      incoming.on('end', answer)
      function answer(): void {
        const status = incoming.statusCode ?? 502
        if (status < 200) return refuse('it switches to another protocol')
        // The constructor throws for those, and for a body beside a status that has none.
        if (status > MAX_STATUS) return refuse(`it answered with the unknown status ${status}`)
        const type = incoming.headers['content-type']
        const text = BODILESS.has(status) ? null : Buffer.concat(chunks)
        try {
          resolve(new Response(text, { status, headers: type ? { 'content-type': type } : {} }))
        } catch {
          // Thrown here it would end the process.
          refuse('its answer is not understood')
        }
      }
    })
    // An answer that begins another protocol (101) is no response.
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy()
      refuse('it switches to another protocol')
    })
    outgoing.on('error', (error) => refuse(reasonOf(error)))
    // Whatever else ends it: nobody waits for ever. After an answer this changes nothing.
    outgoing.on('close', () => refuse('it closed the connection'))
    outgoing.end(body)
  })
}

function reasonOf(error: Error): string {
  if (error instanceof FetchRefused) return error.message
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'it did not answer in time'
  const { code } = error as NodeJS.ErrnoException
  return `it cannot be reached (${code ?? error.name})`
}
