// The ssh-userauth service (RFC 4252): one request at a time, in order. It verifies key possession itself, so a handler
// can only ever accept a proven key; a request it cannot verify fails exactly like one the handler refuses.
import type { AcceptedFactor, AuthAttempt, AuthDecision, AuthMethod } from '../api.ts'
import { Fault, faultOf, limitFault, protocolFault } from '../fault.ts'
import * as n from '../wire/numbers.ts'
import { WireWriter } from '../wire/writer.ts'
import { checkOffer } from './offered-key.ts'
import type { ProofContext } from './offered-key.ts'
import { PromptRounds } from './prompt-round.ts'
import type { AskRound } from './prompt-round.ts'
import { parseAuthRequest } from './request.ts'
import type { MethodRequest } from './request.ts'

/** Requests a client may pipeline. */
const MAX_PIPELINED = 16
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export interface AuthSetup extends ProofContext {
  readonly methods: readonly AuthMethod[]
  /** Failed attempts allowed; queries count one half. */
  readonly attempts: number
}

export interface AuthEvents {
  banner(user: string): Promise<string | undefined>
  authenticate(attempt: AuthAttempt): Promise<AuthDecision>
  /** A factor was accepted; another is required. */
  factorAccepted(factor: AcceptedFactor): void
  /** The client is authenticated; the success message is about to be sent. */
  accepting(user: string, factor: AcceptedFactor): void
  /** The success message has been sent. */
  accepted(): void
  send(payload: Uint8Array): void
  fail(fault: Fault): void
}

export class Authenticator {
  readonly #setup: AuthSetup
  readonly #events: AuthEvents
  readonly #rounds: PromptRounds
  readonly #waiting: Buffer[] = []
  #busy = false
  #ended = false
  #abandoned = false
  #user: string | undefined
  #failures = 0
  #noneTried = false
  /** Rejection messages already shown to the user. */
  readonly #shownMessages = new Set<string>()
  /** Methods that may continue; narrowed by the handler. */
  #methods: readonly AuthMethod[]

  constructor(setup: AuthSetup, events: AuthEvents) {
    this.#setup = setup
    this.#events = events
    this.#methods = setup.methods
    this.#rounds = new PromptRounds((payload) => events.send(payload))
  }

  /** Handles a message of the service, 50 to 79. */
  message(type: number, payload: Buffer): void {
    if (this.#ended) return
    if (type === n.MSG_USERAUTH_INFO_RESPONSE) return this.#rounds.answer(payload)
    if (type !== n.MSG_USERAUTH_REQUEST) {
      throw protocolFault('unexpected-message', `Message ${type} is not one a client sends while authenticating.`)
    }
    if (this.#rounds.asking) {
      // RFC 4256 section 3.1: a new request ends the conversation, which then gets no answer of its own.
      this.#abandoned = true
      this.#rounds.abandon()
    }
    if (this.#waiting.length >= MAX_PIPELINED) throw limitFault('auth-pipeline', 'Too many requests were sent ahead.')
    this.#waiting.push(payload)
    if (!this.#busy) void this.#work()
  }

  /** Shows text before the next answer. */
  announce(text: string): void {
    if (!this.#ended) this.#banner(text)
  }

  /** Stops when the connection has ended. */
  end(): void {
    this.#ended = true
    this.#waiting.length = 0
    this.#rounds.abandon()
  }

  async #work(): Promise<void> {
    this.#busy = true
    try {
      for (let next = this.#waiting.shift(); next && !this.#ended; next = this.#waiting.shift()) {
        await this.#handle(next)
      }
    } catch (error) {
      this.#events.fail(faultOf(error))
    }
    this.#busy = false
  }

  async #handle(payload: Buffer): Promise<void> {
    const { user, request } = parseAuthRequest(payload)
    if (this.#user === undefined) {
      this.#user = user
      const text = await this.#events.banner(user)
      if (this.#ended) return
      if (text) this.#banner(text)
    } else if (this.#user !== user) {
      throw protocolFault('user-changed', 'The user name changed during authentication.')
    }
    if (this.#failures >= this.#setup.attempts) throw this.#tooMany()
    this.#abandoned = false
    const attempt = this.#attempt(user, request)
    const decision: AuthDecision = attempt ? await this.#events.authenticate(attempt) : { result: 'reject' }
    // Prompts still pending belong to an attempt that is over.
    this.#rounds.abandon()
    if (!this.#ended) this.#settle(user, request, attempt, decision)
  }

  /** The attempt to decide on, or undefined when it fails without a decision. */
  #attempt(user: string, request: MethodRequest): AuthAttempt | undefined {
    if (request.method === 'none') return { method: 'none', user }
    if (request.method === 'unsupported' || !this.#methods.includes(request.method)) return undefined
    if (request.method === 'password') {
      try {
        return { method: 'password', user, password: utf8.decode(request.password) }
      } catch {
        return undefined
      }
    }
    if (request.method === 'keyboard-interactive') {
      return { method: 'keyboard-interactive', user, prompt: this.#conversation() }
    }
    const checked = checkOffer(request, this.#setup)
    return checked && { method: 'publickey', user, key: checked.offered, proven: checked.proven }
  }

  /** The `prompt` of one attempt. A client that has already sent its next request has abandoned the prompts. */
  #conversation(): AskRound {
    const ask = this.#rounds.conversation()
    return (name, instruction, prompts) => {
      if (this.#waiting.length === 0) return ask(name, instruction, prompts)
      this.#abandoned = true
      return Promise.reject(new Error('the client abandoned the questions'))
    }
  }

  #settle(user: string, request: MethodRequest, attempt: AuthAttempt | undefined, decision: AuthDecision): void {
    if (decision.result === 'disconnect') {
      const closeCause = { by: 'local', reason: 'authentication-refused', message: decision.message } as const
      throw new Fault(closeCause, n.DISCONNECT_NO_MORE_AUTH_METHODS)
    }
    const isQuery = attempt?.method === 'publickey' && !attempt.proven
    if (isQuery) this.#failures += 0.5
    if (decision.result === 'reject' || this.#abandoned) {
      // A query has no side effects; it narrows nothing.
      if (decision.result === 'reject' && !isQuery) this.#methods = decision.methods ?? this.#methods
      return this.#reject(attempt, isQuery, decision.result === 'reject' ? decision.message : undefined)
    }
    if (isQuery && request.method === 'publickey') return this.#acceptable(request.algorithm, request.blob)
    const factor: AcceptedFactor = {
      method: attempt?.method ?? 'none',
      ...(attempt?.method === 'publickey' ? { key: attempt.key } : {}),
    }
    if (decision.result === 'partial') {
      this.#methods = decision.methods
      this.#events.factorAccepted(factor)
      return this.#failure(true)
    }
    this.#ended = true
    this.#waiting.length = 0
    this.#events.accepting(user, factor)
    this.#events.send(Uint8Array.of(n.MSG_USERAUTH_SUCCESS))
    this.#events.accepted()
  }

  #banner(text: string): void {
    this.#events.send(new WireWriter().byte(n.MSG_USERAUTH_BANNER).string(text).string('').done())
  }

  #reject(attempt: AuthAttempt | undefined, isQuery: boolean, message: string | undefined): void {
    // Clients begin with `none` to learn the methods; that does not count as an attempt.
    const isFirstNone = attempt?.method === 'none' && !this.#noneTried
    if (attempt?.method === 'none') this.#noneTried = true
    if (!isQuery && !isFirstNone) this.#failures += 1
    if (this.#failures >= this.#setup.attempts) throw this.#tooMany()
    if (this.#abandoned) return
    if (message !== undefined && !this.#shownMessages.has(message)) {
      this.#shownMessages.add(message)
      this.#banner(`${message}\r\n`)
    }
    this.#failure(false)
  }

  #tooMany(): Fault {
    return limitFault('auth-attempts', 'Too many authentication failures.', n.DISCONNECT_NO_MORE_AUTH_METHODS)
  }

  #failure(partial: boolean): void {
    this.#events.send(new WireWriter().byte(n.MSG_USERAUTH_FAILURE).nameList(this.#methods).boolean(partial).done())
  }

  #acceptable(algorithm: string, blob: Uint8Array): void {
    this.#events.send(new WireWriter(blob.length + 64).byte(n.MSG_USERAUTH_PK_OK).string(algorithm).string(blob).done())
  }
}
