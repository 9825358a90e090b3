// The `auth` streams: each is one person's login on this device for as long as it stays open. Whatever else runs for
// that person names its login and ends with it.
import type { LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import { AuthCredential, AuthOpen, type AuthAnswer } from '@bowline/link/streams'
import type { Log } from '../log.ts'
import type { Account } from './account.ts'
import type { Authority, Denial, Verdict } from './passwords.ts'
import type { StatementVerifier } from './statement.ts'

/** Something that lives no longer than its login. */
export interface Member {
  end(cause: LinkCause): void
}

/** An accepted login. */
export interface Login {
  /** Uid of the platform's session. */
  readonly session: string
  readonly account: Account
  readonly members: Set<Member>
  /** Listeners by the id of their stream, with the variable that tells a process of one. */
  readonly listeners: Map<number, readonly [name: string, value: string] | undefined>
}

const MAX_ATTEMPTS = 6
/**
 * Processes and connections of one login. The platform has a limit of its own, which its operator chooses; this one is
 * for a platform that has lost count.
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

  /** Platform sessions that are logged in now. */
  get sessions(): string[] {
    return [...this.#accepted.values()].map((login) => login.session)
  }

  /** The login behind a stream id that a header names; undefined when it is not, or no longer, accepted. */
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

    const answer = (verdict: Verdict): void => {
      checking = false
      if (closed) return
      const fields = { session: request.session, user: request.user, remote: request.remote }
      if ('denied' in verdict) {
        this.#log.warn('login-denied', 'a login was denied', { ...fields, reason: verdict.denied })
        stream.control({ type: 'denied', reason: verdict.denied } satisfies AuthAnswer)
        if (attempts >= MAX_ATTEMPTS) stream.close(policy('too-many-attempts', 'too many failed attempts'))
        return
      }
      const { account } = verdict
      const { session } = request
      this.#accepted.set(stream.id, { session, account, members: new Set(), listeners: new Map() })
      this.#log.info('login-accepted', 'a login was accepted', { ...fields, uid: verdict.account.uid })
      stream.control({ type: 'accepted' } satisfies AuthAnswer)
    }

    return {
      data: (bytes) => stream.consumed(bytes.length),
      control: (message) => {
        const credential = AuthCredential.safeParse(message)
        // One answer for each credential, one credential at a time, and none after the login.
        if (!credential.success || checking || this.#accepted.has(stream.id)) {
          return stream.close({ by: 'agent', reason: 'protocol', message: 'the credential is not valid or not due' })
        }
        checking = true
        attempts += 1
        this.#check(request, credential.data).then(answer, (error: unknown) => {
          this.#log.error('internal-error', 'a credential could not be checked', { error: String(error) })
          answer({ denied: 'unsupported' })
        })
      },
      closed: (cause) => {
        closed = true
        this.#end(stream.id, cause)
      },
    }
  }

  async #check(request: AuthOpen, credential: AuthCredential): Promise<Verdict> {
    if (credential.method === 'password') return this.#authority.password(request.user, credential.password)
    const refusal: Denial | undefined = this.#statements.verify(credential.statement, request)
    return refusal ? { denied: refusal } : this.#authority.platform(request.user)
  }

  #end(streamId: number, cause: LinkCause): void {
    const login = this.#accepted.get(streamId)
    if (!login) return
    this.#accepted.delete(streamId)
    for (const member of login.members) member.end(cause)
    this.#log.info('login-ended', 'a login ended', { session: login.session, by: cause.by, reason: cause.reason })
  }
}

function policy(reason: string, message: string): LinkCause {
  return { by: 'policy', reason, message }
}
