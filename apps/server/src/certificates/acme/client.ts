// A client of one ACME server (RFC 8555): directory, nonces, signed requests. What the answers mean is the caller's.
import type { KeyObject } from 'node:crypto'
import * as z from 'zod'
import { AcmeError, problemOf } from './errors.ts'
import { signed } from './jws.ts'
import type { AcmeAnswer, AcmeTransport } from './transport.ts'

const Directory = z.object({
  newNonce: z.string(),
  newAccount: z.string(),
  newOrder: z.string(),
  /** RFC 9773. */
  renewalInfo: z.string().optional(),
  meta: z.object({ termsOfService: z.string().optional(), externalAccountRequired: z.boolean().optional() }).optional(),
})
export type Directory = z.infer<typeof Directory>

export interface Answered {
  /** Parsed JSON; undefined if the answer is something else. */
  readonly json: unknown
  readonly text: string
  /** Address of what was made; ''. */
  readonly location: string
  /** What `Retry-After` asks for, in milliseconds; 0. */
  readonly waitMs: number
}

/** A nonce may have been used up or dropped; the server says so and gives a new one. */
const NONCE_TRIES = 6

export class AcmeClient {
  readonly #send: AcmeTransport
  readonly #key: KeyObject
  readonly #address: string
  readonly #now: () => number
  #directory: Directory | undefined
  #nonce = ''
  /** Address of the account; undefined before it is known. */
  account: string | undefined

  /** @param now milliseconds since the epoch */
  constructor(send: AcmeTransport, directory: string, key: KeyObject, now: () => number) {
    this.#send = send
    this.#address = directory
    this.#key = key
    this.#now = now
  }

  /** @throws {AcmeError} when it is none */
  async directory(): Promise<Directory> {
    this.#directory ??= parse(Directory, await this.get(this.#address), 'The directory of the authority')
    return this.#directory
  }

  /** Reads without a signature. */
  async get(url: string): Promise<Answered> {
    return this.#judge(await this.#send('GET', url), 'The authority refuses to be read')
  }

  /**
   * Sends a signed request.
   * @param payload undefined: only reads (section 6.3)
   * @param what for the text of an error
   * @throws {AcmeError} with the authority's own reason
   */
  async post(url: string, payload: unknown, what: string): Promise<Answered> {
    for (let tries = 1; ; tries += 1) {
      const nonce = this.#nonce || (await this.#newNonce())
      this.#nonce = ''
      const body = signed(this.#key, { url, nonce, account: this.account, payload })
      const answer = await this.#send('POST', url, body)
      this.#nonce = String(answer.headers['replay-nonce'] ?? '')
      try {
        return this.#judge(answer, what)
      } catch (error) {
        if (!(error instanceof AcmeError) || error.type !== 'badNonce' || tries >= NONCE_TRIES) throw error
      }
    }
  }

  async #newNonce(): Promise<string> {
    const { newNonce } = await this.directory()
    const { headers } = await this.#send('HEAD', newNonce)
    const nonce = String(headers['replay-nonce'] ?? '')
    if (nonce === '') throw new AcmeError('The authority gives no nonce.')
    return nonce
  }

  #judge({ status, headers, body }: AcmeAnswer, what: string): Answered {
    // Not by its type: some authorities send renewal information without one.
    const json = body.startsWith('{') ? parseJson(body) : undefined
    const waitMs = retryAfterMs(headers['retry-after'], this.#now())
    if (status < 200 || status > 299) throw problemOf(what, status, json, waitMs)
    return { json, text: body, location: headers.location ?? '', waitMs }
  }
}

/** @throws {AcmeError} when an answer is not what the RFC says */
export function parse<T extends z.ZodType>(schema: T, { json }: Answered, what: string): z.output<T> {
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  const { path = [], message = '' } = parsed.error.issues[0] ?? {}
  throw new AcmeError(`${what} is not as RFC 8555 says: ${path.join('.')} ${message}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A number of seconds or a date (RFC 9110 section 10.2.3), as milliseconds from now. */
function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now
  return Number.isNaN(ms) ? 0 : Math.max(0, ms)
}
