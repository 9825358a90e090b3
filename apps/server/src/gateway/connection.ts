// One SSH connection, from its first authentication request to its last channel: turns the transport's requests into a
// login and its channels. Life of a session: see ARCHITECTURE.md.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { LinkCause } from '@bowline/link/api'
import {
  type AuthAttempt,
  type AuthDecision,
  type ChannelDecision,
  type ChannelOpen,
  type CloseCause,
  type ConnectionHandler,
  type ListenRequest,
  OPEN_PROHIBITED,
  OPEN_RESOURCE_SHORTAGE,
  type SshConnection,
} from '@bowline/ssh/api'
import type { Log } from '../platform/log.ts'
import { type Span, beginSpan, endOnce, inSpan } from '../platform/tracing/spans.ts'
import type { SessionCause } from '../sessions/service.ts'
import type { Admitted } from './admission/admission.ts'
import { offenceOf } from './admission/offence.ts'
import type { Recorder } from '../recordings/record/recorder.ts'
import type { Recordings } from '../recordings/recordings.ts'
import type { Agents } from './links/agents.ts'
import { dialChannel } from './forward/dial-channel.ts'
import { type Forwards, type ForwardsDeps, createForwards, forwardingRefusal } from './forward/forwards.ts'
import type { LiveLogin, LiveLogins } from './login/live-logins.ts'
import { toCredential } from './login/credential.ts'
import { answerQuery } from './login/answer-query.ts'
import type { AcceptedLogin } from './login/accepted-login.ts'
import { Login, type LoginDeps } from './login/login.ts'
import { PromptCancelled } from './login/questions.ts'
import { type SshId, parseSshId } from './login/sshid.ts'
import { reasonFor } from './record/device-text.ts'
import { deviceLost, highestRanked, notRecorded, refusedByRule, transportCause } from './record/end-cause.ts'
import { TEXTS, fromBowline, withdrawal } from './record/texts.ts'
import { SessionChannel, type SessionChannelParts } from './session/session-channel.ts'

export interface ConnectionDeps extends LoginDeps, ForwardsDeps {
  readonly agents: Agents
  readonly live: LiveLogins
  readonly recordings: Recordings
  readonly log: Log
  /** The server is shutting down: new logins are refused. */
  readonly isDraining: () => boolean
  /** Other nodes have the database, and this one does not: logins are refused. */
  readonly isCutOff: () => boolean
  /** The user who opened the connection from the console; undefined for SSH clients. */
  readonly person: UserId | undefined
  /** Counts the end of a connection. */
  readonly ended: (cause: SessionCause, authenticated: boolean) => void
}

const ENDED: AuthDecision = { result: 'disconnect', message: 'The connection has ended.' }

/** The stages of a connection, in this order; each holds what exists only then. */
type Stage =
  | {
      readonly is: 'unauthenticated'
      /** Result of the last credential; `unevaluated`: this server could not evaluate it; `proven`: only its factor lacks. */
      outcome: 'none' | 'refused' | 'unevaluated' | 'proven'
      guessed: boolean
    }
  | {
      readonly is: 'authenticated'
      readonly login: AcceptedLogin
      readonly forwards: Forwards
      /** Number of channels opened so far: the next one's index. */
      channels: number
      /** Unregisters the login from heartbeats and policy reviews. */
      release(): void
    }
  | { readonly is: 'closed' }

/**
 * The transport's handler for one admitted connection. The transport calls, in this order: `authenticate` for each
 * attempt, then `open`, `listen` and `unlisten`, then `closed`, exactly once. `end` and `moved` may come at any time.
 */
export class Connection implements ConnectionHandler {
  readonly #deps: ConnectionDeps
  readonly #admitted: Admitted
  readonly #closed: (connection: SshConnection, rest: Promise<void>) => void
  #stage: Stage = { is: 'unauthenticated', outcome: 'none', guessed: false }
  /** From the first attempt on: the transport refuses a second user name. */
  #id: SshId | undefined
  /** From the first attempt on; outlives the connection until its row is closed. */
  #login: Login | undefined
  /** Causes known before the transport's, see {@link highestRanked}. */
  #ended: SessionCause | undefined
  /** The accepted login as reviews know it. */
  #live: LiveLogin | undefined
  #lost: SessionCause | undefined
  /** Of the latest channel that is recorded. */
  #recorder: Recorder | undefined
  /** From the accepted socket to the first process, or to the end. */
  readonly #trace: Span
  /** Until the first authentication request. */
  readonly #keyExchange: Span

  /** @param closed called once, last, with the work that outlives the connection */
  constructor(
    deps: ConnectionDeps,
    admitted: Admitted,
    closed: (connection: SshConnection, rest: Promise<void>) => void,
  ) {
    this.#deps = deps
    this.#admitted = admitted
    this.#closed = closed
    this.#trace = beginSpan('ssh.login', { 'bowline.endpoint': deps.endpoint })
    this.#keyExchange = beginSpan('ssh.key-exchange', {}, this.#trace)
  }

  /** A device has connected, and no person: its own handler has the connection from now on. */
  yield(): void {
    for (const span of [this.#keyExchange, this.#trace]) endOnce(span)
  }

  authenticate(connection: SshConnection, attempt: AuthAttempt): Promise<AuthDecision> {
    endOnce(this.#keyExchange)
    const { method } = attempt
    const attributes = { 'bowline.method': method }
    return inSpan(
      'ssh.authenticate',
      this.#trace,
      async (span) => {
        const decision = await this.#authenticate(connection, attempt)
        span.setAttribute('bowline.result', decision.result)
        return decision
      },
      attributes,
    )
  }

  async #authenticate(connection: SshConnection, attempt: AuthAttempt): Promise<AuthDecision> {
    // Nothing is disclosed before an attempt, except that the name is malformed.
    const id = (this.#id ??= parseSshId(attempt.user))
    if (!id) return { result: 'disconnect', message: TEXTS.wrongFormat }
    if (this.#deps.isDraining()) {
      this.#recordOutcome('unevaluated')
      return { result: 'disconnect', message: TEXTS.stopping }
    }
    if (this.#deps.isCutOff()) {
      this.#recordOutcome('unevaluated')
      return { result: 'disconnect', message: TEXTS.unavailable }
    }
    if (attempt.method === 'none') return { result: 'reject' }
    if (this.#stage.is === 'closed') return ENDED
    const login = (this.#login ??= this.#createLogin(connection, id))
    if (attempt.method === 'publickey' && !attempt.proven) return answerQuery(login, attempt)
    try {
      if (attempt.method === 'keyboard-interactive' && login.asksForFactor) {
        return this.#outcomeOf(login, await login.answerFactor(attempt), false)
      }
      const credential = await toCredential(attempt)
      if (this.#isClosed) return ENDED
      return this.#outcomeOf(login, await login.evaluate(credential), attempt.method !== 'publickey')
    } catch (error) {
      if (error instanceof PromptCancelled) return { result: 'reject' }
      // The database is down, which is not the client's fault: no penalty, and an explanation.
      this.#deps.log.error('session.error', { err: error })
      this.#recordOutcome('unevaluated')
      return { result: 'disconnect', message: TEXTS.unavailable }
    }
  }

  async open(connection: SshConnection, request: ChannelOpen): Promise<ChannelDecision> {
    const stage = this.#stage
    if (stage.is !== 'authenticated') return { accept: false, code: OPEN_PROHIBITED, message: 'not signed in' }
    const { login } = stage
    try {
      // Written in parallel with the client's round trip.
      await login.recorded
    } catch {
      return { accept: false, code: OPEN_RESOURCE_SHORTAGE, message: TEXTS.unavailable }
    }
    if (request.type !== 'session') {
      const refusal = forwardingRefusal(login)
      if (refusal !== undefined) return { accept: false, code: OPEN_PROHIBITED, message: refusal }
      login.forwarding.used = true
    }
    switch (request.type) {
      case 'session': {
        const channelIndex = stage.channels++
        const record = this.#recorderOf(connection, login, channelIndex)
        const parts = { login, channelIndex, forwards: stage.forwards, ended: () => this.#ended, record }
        return { accept: true, attach: (channel) => new SessionChannel({ channel, ...parts }) }
      }
      case 'direct-tcpip':
        login.record.note('direct-tcpip', 0, { host: request.host, port: request.port })
        return dialChannel(login, { host: request.host, port: request.port }, this.#deps.clock)
      case 'direct-streamlocal@openssh.com':
        login.record.note('direct-streamlocal', 0, { path: request.path })
        return dialChannel(login, { path: request.path }, this.#deps.clock)
    }
  }

  async listen(_connection: SshConnection, request: ListenRequest): Promise<number | undefined> {
    return this.#stage.is === 'authenticated' ? this.#stage.forwards.listen(request) : undefined
  }

  async unlisten(_connection: SshConnection, request: ListenRequest): Promise<boolean> {
    return this.#stage.is === 'authenticated' && this.#stage.forwards.unlisten(request)
  }

  get tenant(): TenantId | undefined {
    return this.login?.target.tenant
  }

  /** The accepted login; undefined before, and once the connection is over. */
  get login(): AcceptedLogin | undefined {
    return this.#stage.is === 'authenticated' ? this.#stage.login : undefined
  }

  /** Writes a line into the recording of the latest channel, where there is one. */
  mark(text: string): void {
    this.#recorder?.mark(text)
  }

  /** Ends the connection. @param cause for its row @param message for the client; default: the cause's */
  end(connection: SshConnection, cause: SessionCause, message = fromBowline(cause.message)): void {
    this.#ended ??= cause
    connection.disconnect({ by: 'local', reason: cause.reason, message })
  }

  /** The client continues from another address: evaluates the firewall again, which may end the connection. */
  async moved(connection: SshConnection): Promise<void> {
    if (this.#stage.is !== 'authenticated') return
    const { ctx, target, user, person } = this.#stage.login
    const device = { name: target.name, tags: target.tags }
    const judge = await this.#deps.firewall(ctx)
    const uid = this.#deps.takesGrants ? target.uid : undefined
    const at = { address: connection.peer.address, user, person, device, uid }
    const { allow, rule, grant } = await judge(at)
    if (!allow) this.end(connection, refusedByRule(rule), TEXTS.withdrawn)
    else if (grant && this.#live) {
      // It is open by the grant alone from here: the review watches for its end.
      this.#live.grant = grant
      this.#deps.live.review(target.tenant, target.uid)
    }
  }

  closed(connection: SshConnection, cause: CloseCause): void {
    const stage = this.#stage
    this.#stage = { is: 'closed' }
    for (const span of [this.#keyExchange, this.#trace]) endOnce(span)
    const authenticated = stage.is === 'authenticated'
    const refused = stage.is === 'unauthenticated' && stage.outcome === 'refused'
    const ended = highestRanked({
      ended: this.#ended,
      refused: this.#login?.refusal,
      lost: this.#lost,
      transport: transportCause(cause, authenticated ? 'authenticated' : refused ? 'refused' : 'none'),
    })
    try {
      if (authenticated) stage.release()
      else if (stage.is === 'unauthenticated' && stage.outcome !== 'unevaluated' && stage.outcome !== 'proven') {
        this.#penalize(cause, stage.guessed)
      }
      this.#admitted.release()
      this.#deps.ended(ended, authenticated)
      this.#deps.log.info('ssh.closed', { session: connection.sessionId, source: connection.peer.address, ...ended })
    } finally {
      // The row is closed whatever else fails, and the gateway forgets the connection.
      this.#closed(connection, this.#login?.close(ended) ?? Promise.resolve())
    }
  }

  /** Asked after waiting, when the compiler would still believe the stage from before. */
  get #isClosed(): boolean {
    return this.#stage.is === 'closed'
  }

  #createLogin(connection: SshConnection, id: SshId): Login {
    return new Login({ ...this.#deps, trace: this.#trace }, connection, id, {
      accepted: (login, since) => {
        // The client may have left meanwhile; closing the login then ends what it holds.
        if (this.#stage.is !== 'unauthenticated') return
        this.#admitted.authenticated()
        const forwards = createForwards(this.#deps, connection, login)
        const release = this.#watch(connection, login, since)
        this.#stage = { is: 'authenticated', login, forwards, channels: 0, release }
      },
      lost: (cause) => {
        if (this.#stage.is === 'authenticated') this.#loseDevice(connection, cause, this.#stage.login.target.name)
      },
    })
  }

  #loseDevice(connection: SshConnection, cause: LinkCause, device: string): void {
    const lost = deviceLost(cause, device)
    this.#lost = lost
    const message = cause.fromPeer ? lost.message : fromBowline(reasonFor(cause))
    connection.disconnect({ by: 'local', reason: 'device-lost', message })
  }

  /** Registers the login for heartbeats of its row and for policy changes. @returns unregister */
  #watch(connection: SshConnection, login: AcceptedLogin, since: number): () => void {
    const { record, target, user, key, person, grant, forwarding } = login
    const forgetSession = this.#deps.agents.keepSessionAlive(record.uid)
    const live: LiveLogin = {
      tenant: target.tenant,
      device: target.uid,
      user,
      get address() {
        return connection.peer.address
      },
      key,
      person: this.#deps.person,
      subject: person,
      takesGrants: this.#deps.takesGrants,
      grant,
      forwarding,
      end: (cause) => this.end(connection, cause, withdrawal(cause)),
    }
    this.#live = live
    const forgetLogin = this.#deps.live.add(live, since)
    return () => {
      forgetSession()
      forgetLogin()
    }
  }

  /** Starts the recording of a channel; undefined when the namespace does not record. */
  #recorderOf(
    connection: SshConnection,
    { ctx, record, target }: AcceptedLogin,
    channelIndex: number,
  ): SessionChannelParts['record'] {
    if (target.recording === 'off') return undefined
    const required = target.recording === 'required'
    return (terminal) => {
      this.#recorder = this.#deps.recordings.start(
        ctx,
        { session: record.uid, seat: channelIndex, required, ...terminal },
        (message) => {
          record.note('recording-failed', channelIndex, { message })
          if (required) this.end(connection, notRecorded(message))
        },
      )
      return this.#recorder
    }
  }

  /** Records a decision. A login whose second factor is missing has guessed nothing: its source gets no penalty. */
  #outcomeOf(login: Login, decision: AuthDecision, guessed: boolean): AuthDecision {
    if (login.isProven) this.#recordOutcome('proven')
    else if (decision.result !== 'accept') this.#recordOutcome('refused', guessed)
    return decision
  }

  #recordOutcome(outcome: 'refused' | 'unevaluated' | 'proven', guessed = false): void {
    if (this.#stage.is !== 'unauthenticated') return
    this.#stage.outcome = outcome
    this.#stage.guessed ||= guessed
  }

  #penalize(cause: CloseCause, guessed: boolean): void {
    const offence = offenceOf(cause, guessed)
    // A page's malformed message is a bug in the console; a penalty would block everybody behind that address.
    if (offence !== 'abuse' || this.#deps.endpoint !== 'web') this.#admitted.offend(offence)
  }
}
