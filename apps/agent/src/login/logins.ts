// The `auth` streams: each is a user's login on this device for as long as it stays open. Everything else that runs for
// the user refers to its login and ends with it.
import type { LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import { AuthCredential, AuthOpen, AuthReply, type AuthAnswer } from '@bowline/link/stream-messages'
import type { Log } from '../log.ts'
import type { Account } from './account.ts'
import type { Conversation } from './conversation.ts'
import type { Authority } from './passwords.ts'
import type { Denial, DeviceSession, Verdict } from './verdict.ts'
import type { StatementVerifier } from './statement.ts'

/** A resource bound to the lifetime of its login. */
export interface Member {
  end(cause: LinkCause): void
}

/** An accepted login. */
export interface Login {
  /** Uid of the platform's session. */
  readonly session: string
  readonly account: Account
  /** The system's own session, if it opened one. */
  readonly deviceSession: DeviceSession | undefined
  /** Pending messages of the device's session; cleared once shown. */
  readonly told: string[]
  readonly members: Set<Member>
  /** Listeners by the id of their stream, with what a process is offered of each. */
  readonly listeners: Map<number, Offer | undefined>
}

/** A listener as offered to processes that may use it. */
export interface Offer {
  readonly variable: readonly [name: string, value: string]
  /** For an X11 display: protocol and cookie, as arguments of xauth(1). */
  readonly cookie?: string
}

const MAX_ATTEMPTS = 6
/** Length limit of messages to a refused user, characters. */
const MAX_MESSAGE_CHARACTERS = 4_096
/** Limit of prompt rounds per attempt. */
const MAX_ROUNDS = 32
/**
 * Limit of processes and connections of one login. The platform has its own configurable limit; this one is a backstop
 * against a faulty platform.
 */
export const MAX_MEMBERS = 1_024

export class Logins {
  readonly #authority: Authority
  readonly #statements: StatementVerifier
  readonly #log: Log
  readonly #accepted = new Map<number, Login>()

  constructor(parts: { authority: Authority; statements: StatementVerifier; log: Log }) {
    this.#authority = parts.authority
    this.#statements = parts.statements
    this.#log = parts.log
  }

  /** Platform sessions that are currently logged in. */
  get sessions(): string[] {
    return [...this.#accepted.values()].map((login) => login.session)
  }

  /** The login of the stream id in a header; undefined when it is not, or no longer, accepted. */
  find(streamId: number): Login | undefined {
    return this.#accepted.get(streamId)
  }

  open(header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause {
    const parsed = AuthOpen.safeParse(header)
    if (!parsed.success) return { by: 'agent', reason: 'protocol', message: 'the login request is not valid' }
    const request = parsed.data
    let attempts = 0
    let checking = false
    let closed = false
    /** The round that is waiting for its answers. */
    let asked: { readonly count: number; answer(answers: readonly string[]): void } | undefined
    const disconnected = new AbortController()

    const answer = (verdict: Verdict): void => {
      checking = false
      asked = undefined
      if (closed) return 'session' in verdict ? verdict.session?.close() : undefined
      const fields = { session: request.session, user: request.user, remote: request.remote }
      if ('denied' in verdict) {
        this.#log.warn('login.denied', { ...fields, reason: verdict.denied })
        const message = verdict.told ? { message: verdict.told.trim().slice(0, MAX_MESSAGE_CHARACTERS) } : {}
        stream.control({ type: 'denied', reason: verdict.denied, ...message } satisfies AuthAnswer)
        if (attempts >= MAX_ATTEMPTS) stream.close(policy('too-many-attempts', 'too many failed attempts'))
        return
      }
      const { account, session: deviceSession } = verdict
      const { session } = request
      const told = deviceSession?.told ? [deviceSession.told] : []
      this.#accepted.set(stream.id, { session, account, deviceSession, told, members: new Set(), listeners: new Map() })
      if (deviceSession?.problem !== undefined) {
        const problem = { ...fields, problem: deviceSession.problem }
        this.#log.warn('login.without-pam-session', problem)
      }
      this.#log.info('login.accepted', { ...fields, uid: verdict.account.uid })
      stream.control({ type: 'accepted' } satisfies AuthAnswer)
    }

    const conversation = (): Conversation => {
      let rounds = 0
      return {
        remote: request.remote,
        disconnected: disconnected.signal,
        ask: (round) =>
          new Promise((resolve, reject) => {
            rounds += 1
            if (closed || asked || rounds > MAX_ROUNDS) throw new Error('no further prompts are possible')
            disconnected.signal.addEventListener('abort', () => reject(new Error('the user has disconnected')), {
              once: true,
            })
            asked = { count: round.prompts.length, answer: resolve }
            stream.control({ type: 'prompt', ...round } satisfies AuthAnswer)
          }),
      }
    }

    /** @returns false when it does not answer an open round */
    const reply = (message: LinkMessage): boolean => {
      const parsed = AuthReply.safeParse(message)
      if (!parsed.success || parsed.data.answers.length !== asked?.count) return false
      const round = asked
      asked = undefined
      round.answer(parsed.data.answers)
      return true
    }

    const begin = (message: LinkMessage): boolean => {
      const credential = AuthCredential.safeParse(message)
      // One verdict per credential, one credential at a time, and none after the login.
      if (!credential.success || checking || this.#accepted.has(stream.id)) return false
      checking = true
      attempts += 1
      this.#check(request, credential.data, conversation()).then(answer, (error: unknown) => {
        if (!closed) this.#log.error('login.check-failed', { error: String(error) })
        answer({ denied: 'unsupported' })
      })
      return true
    }

    return {
      data: (bytes) => stream.consumed(bytes.length),
      control: (message) => {
        if (asked ? reply(message) : begin(message)) return
        stream.close({ by: 'agent', reason: 'protocol', message: 'the credential is invalid or unexpected' })
      },
      closed: (cause) => {
        closed = true
        disconnected.abort()
        this.#end(stream.id, cause)
      },
    }
  }

  async #check({ user, session }: AuthOpen, credential: AuthCredential, person: Conversation): Promise<Verdict> {
    switch (credential.method) {
      case 'password':
        return this.#authority.password(user, credential.password, person)
      case 'keyboard-interactive':
        return this.#authority.interactive(user, person)
      case 'statement': {
        const refusal: Denial | undefined = this.#statements.verify(credential.statement, { session, user })
        return refusal ? { denied: refusal } : this.#authority.platform(user, person)
      }
    }
  }

  #end(streamId: number, cause: LinkCause): void {
    const login = this.#accepted.get(streamId)
    if (!login) return
    this.#accepted.delete(streamId)
    for (const member of login.members) member.end(cause)
    login.deviceSession?.close()
    this.#log.info('login.ended', { session: login.session, by: cause.by, reason: cause.reason })
  }
}

function policy(reason: string, message: string): LinkCause {
  return { by: 'agent', reason, message }
}
