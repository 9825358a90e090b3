// A double of Stripe: an HTTP server on loopback that keeps state, honours idempotency keys, fails on demand and signs
// webhooks. It has what the server uses, no more.
import { createHmac } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type DoubleEvent, DoubleFailure, decodeForm, readBody } from './provider-objects.ts'
import { answerPage } from './provider-pages.ts'
import { LICENSED, ProviderState } from './provider-state.ts'

export const SECRET_KEY = 'sk_test_double0123456789'
/** A key of the same account, in live mode. */
export const LIVE_KEY = 'sk_live_double0123456789'
const WEBHOOK_SECRET = 'whsec_double0123456789'

/**
 * Failure mode: `down` closes connections, `failing` answers 500 to everything, `losing` processes the request and
 * closes the connection instead of answering.
 */
export type Condition = 'up' | 'down' | 'failing' | 'losing'

export interface ProviderDouble {
  readonly state: ProviderState
  /** Settings of a server that uses it. */
  readonly settings: Readonly<Record<string, string>>
  /** Requests that came, as `POST /v1/customers`. */
  readonly requests: readonly string[]
  /** Failure mode of all requests, or of each. */
  condition: Condition | ((request: string) => Condition)
  /** Holds back all requests from now on. @returns resumes them */
  hold(): () => void
  /** The answer to the next such request is made at once and sent late. @returns sends it */
  stall(request: string): () => void
  /** An event as it is delivered. @param at when it is signed, in milliseconds since the epoch */
  sign(event: DoubleEvent, at: number, secret?: string): { body: string; headers: Record<string, string> }
  close(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** @param now milliseconds since the epoch */
export async function startProvider(now: () => number, price = LICENSED): Promise<ProviderDouble> {
  const state = new ProviderState(now)
  const requests: string[] = []
  const answered = new Map<string, { readonly request: string; readonly answer: Answer | undefined }>()
  const stalled = new Map<string, Promise<void>>()
  let held = Promise.resolve()

  function conditionOf(request: string): Condition {
    const { condition } = double
    return typeof condition === 'function' ? condition(request) : condition
  }

  function carryOut(method: string, url: URL, text: string, live: boolean): Answer {
    try {
      state.live = live
      if (conditionOf(`${method} ${url.pathname}`) === 'failing')
        throw new DoubleFailure(500, 'api_error', 'Something went wrong.')
      const form = decodeForm(method === 'POST' ? text : url.search.slice(1))
      const [, , ...path] = url.pathname.split('/').map(decodeURIComponent)
      return { status: 200, body: structuredClone(state.answer(method, path, form)) }
    } catch (error) {
      if (!(error instanceof DoubleFailure)) throw error
      return { status: error.status, body: { error: error.error } }
    }
  }

  /** A key's first answer is its answer for good, whatever it was. */
  async function answerOnce(key: string, request: string, work: () => Promise<Answer>): Promise<Answer> {
    const known = answered.get(key)
    if (known && known.request !== request) {
      return refusal(
        400,
        'idempotency_error',
        'Keys for idempotent requests can only be used with the same parameters.',
      )
    }
    if (known) return known.answer ?? refusal(409, 'idempotency_error', 'A request with this key is in progress.')
    answered.set(key, { request, answer: undefined })
    const answer = await work()
    answered.set(key, { request, answer })
    return answer
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: target = '', headers } = request
    const url = new URL(target, 'http://double')
    const name = `${method} ${url.pathname}`
    requests.push(name)
    const text = await readBody(request)
    if (conditionOf(name) === 'down') return void request.socket.destroy()
    const page = url.pathname.startsWith('/v1/') ? undefined : answerPage(state, url.pathname, text)
    if (page) {
      const { status, html, location } = page
      response.writeHead(status, { 'content-type': 'text/html', ...(location ? { location } : {}) }).end(html)
      return
    }
    const live = headers.authorization === `Bearer ${LIVE_KEY}`
    if (!live && headers.authorization !== `Bearer ${SECRET_KEY}`) {
      const { status, body } = refusal(401, 'invalid_request_error', 'Invalid API Key provided: sk_test_******6789')
      return send(response, status, body)
    }
    const work = async (): Promise<Answer> => {
      await held
      return carryOut(method, url, text, live)
    }
    const key = headers['idempotency-key']
    const { status, body } =
      typeof key === 'string' ? await answerOnce(key, `${method} ${target} ${text}`, work) : await work()
    const late = stalled.get(name)
    stalled.delete(name)
    await late
    if (conditionOf(name) === 'losing') return void request.socket.destroy()
    send(response, status, body)
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  state.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const double: ProviderDouble = {
    state,
    settings: {
      BOWLINE_EDITION: 'cloud',
      BOWLINE_STRIPE_API_URL: state.origin,
      BOWLINE_STRIPE_SECRET_KEY: SECRET_KEY,
      BOWLINE_STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      BOWLINE_STRIPE_PRICE_ID: price,
    },
    requests,
    condition: 'up',
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
    stall(request) {
      const { promise, resolve } = Promise.withResolvers<void>()
      stalled.set(request, promise)
      return resolve
    },
    sign(event, at, secret = WEBHOOK_SECRET) {
      const body = JSON.stringify(event)
      const time = Math.floor(at / 1_000)
      const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
      const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${signature}` }
      return { body, headers }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return double
}

function refusal(status: number, type: string, message: string): Answer {
  return { status, body: { error: { type, message } } }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
