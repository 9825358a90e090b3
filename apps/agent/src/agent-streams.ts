// Handles the streams that the gateway opens on one link; each new link gets a new instance.
import type { Link, LinkCause, LinkMessage, LinkStream, StreamHandler, StreamKind } from '@bowline/link/api'
import type { Clock } from '@bowline/base/clock'
import type { Authority } from './login/passwords.ts'
import { Logins } from './login/logins.ts'
import type { StatementVerifier } from './login/statement.ts'
import type { Log } from './log.ts'
import type { HealthReports } from './health/health-reports.ts'
import { Dials } from './session/forward/dials.ts'
import { EngineConnections } from './session/forward/engine-connections.ts'
import { Listens } from './session/forward/listens.ts'
import { Tunnels } from './session/forward/tunnels.ts'
import type { RcOptions } from './session/rc/rc-files.ts'
import { Sessions } from './session/sessions.ts'

export interface AgentStreamsParts {
  readonly authority: Authority
  readonly statements: StatementVerifier
  readonly clock: Clock
  readonly log: Log
  /** Ends a user's processes when their client has disconnected. */
  readonly killOrphans: boolean
  readonly rc: RcOptions
  /** Socket of the container engine that the server may use; undefined: it may use none. */
  readonly engineSocket: string | undefined
  /** Reports of the device's health; undefined: the server gets none. */
  readonly health: HealthReports | undefined
}

/** The streams of one link: a login is only valid on its own link. */
export class AgentStreams {
  readonly #logins: Logins
  readonly #sessions: Sessions
  readonly #dials: Dials
  readonly #listens: Listens
  readonly #tunnels: Tunnels
  readonly #engine: EngineConnections
  readonly #health: HealthReports | undefined
  /** The link of these streams; set once it is up. */
  link: Link | undefined

  constructor(parts: AgentStreamsParts) {
    this.#logins = new Logins(parts)
    const { clock, log, killOrphans, rc, engineSocket, health } = parts
    this.#sessions = new Sessions({ logins: this.#logins, clock, log, killOrphans, rc })
    this.#dials = new Dials({ logins: this.#logins, clock, log })
    this.#listens = new Listens({ logins: this.#logins, log, link: () => this.link })
    this.#tunnels = new Tunnels({ clock, log })
    this.#engine = new EngineConnections({ clock, log, path: engineSocket })
    this.#health = health
  }

  /** Uids of the platform sessions that are logged in here. */
  get sessionUids(): string[] {
    return this.#logins.sessions
  }

  /** Number of running user processes. */
  get processCount(): number {
    return this.#sessions.count
  }

  /** Whether something runs here that a newer link cannot take over. The server connects to an engine anew by itself. */
  get isBusy(): boolean {
    return this.link !== undefined && this.link.streamCount > this.#engine.members.size
  }

  /** Implements `LinkHandler.open`. */
  open(kind: StreamKind, header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause {
    switch (kind) {
      case 'auth':
        return this.#logins.open(header, stream)
      case 'session':
        return this.#sessions.open(header, stream)
      case 'dial':
        return this.#dials.open(header, stream)
      case 'listen':
        return this.#listens.open(header, stream)
      case 'http':
        return this.#tunnels.open(header, stream)
      case 'engine':
        return this.#engine.open(stream)
      case 'health':
        return (
          this.#health?.open(stream) ?? {
            by: 'agent',
            reason: 'refused',
            message: 'the device does not report its health (BOWLINE_HEALTH)',
          }
        )
      case 'accept':
      case 'lease':
      case 'terminal':
      case 'recording':
        return { by: 'agent', reason: 'unsupported', message: `this agent has no ${kind} streams yet` }
    }
  }

  /** Ends all sessions. */
  close(cause: LinkCause): void {
    this.#sessions.close(cause)
  }
}
