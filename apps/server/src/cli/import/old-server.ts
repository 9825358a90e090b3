// Calls of the server that a namespace is moved from. It is not trusted: what it sends is bounded in time and size, and it
// cannot send the credential elsewhere.
import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { ConfigError } from '@bowline/contract/config'
import { z } from 'zod'

/** For one answer with its body, in milliseconds. */
const PATIENCE_MS = 30_000
/** Hundred devices have about 200 kB. */
const MAX_ANSWER_BYTES = 8 * 1_024 * 1_024
/** Of all answers together. */
const MAX_BYTES = 512 * 1_024 * 1_024
const MAX_REDIRECTS = 3
const ATTEMPTS = 4
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 30_000
const MAX_CREDENTIAL_BYTES = 8_192
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** An answer: its JSON, and the total of the list that it is a page of. */
export interface OldAnswer {
  readonly body: unknown
  /** Undefined where the server does not tell. */
  readonly total: number | undefined
}

export interface OldServer {
  readonly origin: string
  /** An API key has no person: some calls refuse it. */
  readonly isApiKey: boolean
  /**
   * @param path with its query
   * @returns undefined when the server does not have it, or not for this credential (402, 403, 404)
   * @throws {Error} in words for the command line
   */
  get(path: string): Promise<OldAnswer | undefined>
}

/**
 * Origin of an address that somebody has typed.
 * @throws {ConfigError} unless it is https, or http to this machine or with `allowsHttp`
 */
export function oldOrigin(typed: string, allowsHttp: boolean): string {
  const url = URL.parse(typed.includes('://') ? typed : `https://${typed}`)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw new ConfigError([`${typed} is not an address such as https://old.example.com`])
  if (url.protocol === 'http:' && !allowsHttp && !LOOPBACK.test(url.hostname)) {
    throw new ConfigError(['Over http everybody on the way reads the token: use https, or --allow-http.'])
  }
  return url.origin
}

/** The header for the token or API key in a file. @throws {ConfigError} naming the file, never its content */
export async function credentialIn(file: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new ConfigError([`${file} cannot be read.`])
  })
  const credential = text.trim()
  if (credential.length <= MAX_CREDENTIAL_BYTES) {
    if (z.uuid().safeParse(credential).success) return { 'x-api-key': credential }
    if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(credential)) return { authorization: `Bearer ${credential}` }
  }
  throw new ConfigError([
    `${file} must have an API key (a UUID) or a token (three parts with dots between them), alone.`,
  ])
}

export function openOldServer(origin: string, credential: Readonly<Record<string, string>>): OldServer {
  let bytes = 0

  async function follow(path: string): Promise<Response> {
    let url = new URL(path, origin)
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const headers = { accept: 'application/json', ...credential }
      const answer = await fetch(url, { headers, redirect: 'manual', signal })
      if (answer.status < 300 || answer.status >= 400) return answer
      await answer.body?.cancel()
      const to = URL.parse(answer.headers.get('location') ?? '', url)
      if (to?.origin !== origin) {
        throw new Error(`${origin} redirects to ${to?.origin ?? 'nowhere'}: name that address, if it is your server.`)
      }
      url = to
    }
    throw new Error(`${origin} redirects in a circle.`)
  }

  async function attempt(
    path: string,
  ): Promise<OldAnswer | undefined | { readonly pauseMs: number; readonly why: string }> {
    let answer: Response
    let text: string
    try {
      answer = await follow(path)
      text = await textOf(answer, Math.min(MAX_ANSWER_BYTES, MAX_BYTES - bytes))
    } catch (error) {
      if (!isPassing(error)) throw inWords(error)
      return { pauseMs: 0, why: `does not answer (${reasonOf(error)})` }
    }
    bytes += text.length
    const { status } = answer
    if (status === 429 || status >= 500) return { pauseMs: pauseOf(answer), why: `answers ${status}` }
    if (status === 401) throw new Error(`${origin} refuses the token: it is wrong or has expired.`)
    if ([402, 403, 404].includes(status)) return undefined
    if (status !== 200) throw new Error(`${origin} answers ${status} to ${path}.`)
    const total = Number(answer.headers.get('x-total-count') ?? Number.NaN)
    return { body: jsonOf(text, path), total: Number.isSafeInteger(total) && total >= 0 ? total : undefined }
  }

  /** What fetch throws says nothing by itself, for example about a certificate. */
  function inWords(error: unknown): unknown {
    const isPlain = error instanceof TypeError && error.cause instanceof Error
    return isPlain
      ? new Error(`${origin} cannot be reached: ${(error.cause as Error).message}.`, { cause: error })
      : error
  }

  function jsonOf(text: string, path: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      throw new Error(
        `${origin} answers ${path.split('?')[0]} with something that is not JSON: is it a ShellHub server?`,
      )
    }
  }

  return {
    origin,
    isApiKey: 'x-api-key' in credential,
    async get(path) {
      let why = ''
      for (let made = 1; made <= ATTEMPTS; made += 1) {
        const answer = await attempt(path)
        if (!answer || !('why' in answer)) return answer
        why = answer.why
        if (made < ATTEMPTS) await wait(Math.min(MAX_PAUSE_MS, Math.max(answer.pauseMs, FIRST_PAUSE_MS * 2 ** made)))
      }
      throw new Error(`${origin} ${why}, also after ${ATTEMPTS} attempts; run the command again later.`)
    },
  }
}

/** A body that is too large. */
class TooLarge extends Error {}

/** @throws {TooLarge} */
async function textOf(answer: Response, most: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body ?? []) {
    size += chunk.length
    if (size > most) throw new TooLarge(`${new URL(answer.url).origin} sends more than any list has.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Failures of the network; a wrong certificate does not pass. */
function isPassing(error: unknown): boolean {
  if (error instanceof TooLarge || !(error instanceof Error)) return false
  const code = codeOf(error)
  if (error.name === 'TimeoutError') return true
  return error instanceof TypeError && /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|EAI_AGAIN|UND_ERR)/.test(code)
}

const codeOf = ({ cause }: Error): string => (cause instanceof Error && 'code' in cause ? String(cause.code) : '')

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason'
  return error.name === 'TimeoutError' ? `${PATIENCE_MS / 1_000} s have passed` : codeOf(error) || error.message
}

/** `Retry-After` in milliseconds; 0 without one. */
function pauseOf({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? 0)
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0
}
