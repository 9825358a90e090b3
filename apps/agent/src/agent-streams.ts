// What the agent does with the streams that the gateway opens: one handler of links, used again by each new link.
import type { LinkCause, LinkMessage, LinkStream, StreamHandler, StreamKind } from '@bowline/link/api'
import type { LinkClock } from '@bowline/link/clock'
import type { Authority } from './login/passwords.ts'
import { Logins } from './login/logins.ts'
import type { StatementVerifier } from './login/statement.ts'
import type { Log } from './log.ts'
import { Dials } from './session/dials.ts'
import { Sessions } from './session/sessions.ts'

export interface AgentStreamsParts {
  readonly authority: Authority
  readonly statements: StatementVerifier
  readonly clock: LinkClock
  readonly log: Log
}

/** The streams of one link: logins of one link mean nothing on the next. */
export class AgentStreams {
  readonly #logins: Logins
  readonly #sessions: Sessions
  readonly #dials: Dials

  constructor(parts: AgentStreamsParts) {
    this.#logins = new Logins(parts)
    const { clock, log } = parts
    this.#sessions = new Sessions({ logins: this.#logins, clock, log })
    this.#dials = new Dials({ logins: this.#logins, clock, log })
  }

  /** Uids of the platform sessions that are logged in here. */
  get sessionUids(): string[] {
    return this.#logins.sessions
  }

  /** Processes that run for people. */
  get processCount(): number {
    return this.#sessions.count
  }

  /** `LinkHandler.open`. */
  open(kind: StreamKind, header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause {
    switch (kind) {
      case 'auth':
        return this.#logins.open(header, stream)
      case 'session':
        return this.#sessions.open(header, stream)
      case 'dial':
        return this.#dials.open(header, stream)
      case 'listen':
      case 'http':
        return { by: 'agent', reason: 'unsupported', message: `this agent has no ${kind} streams yet` }
    }
  }

  /** Ends all sessions. */
  close(cause: LinkCause): void {
    this.#sessions.close(cause)
  }
}
