// One login: from SSHID and credentials to an accepted `auth` stream on the device. Each credential is
// evaluated on its own. Until one is valid, every refusal is the same for any device: unknown, offline, not accepted,
// behind a firewall rule, or busy.
import type { SessionUid, UserId } from '@bowline/contract/schemas/common'
import type { Link, LinkCause } from '@bowline/link/api'
import type { AuthCredential } from '@bowline/link/stream-messages'
import type { AuthDecision, SshConnection } from '@bowline/ssh/api'
import type { Clock } from '@bowline/base/clock'
import type { TenantContext } from '../../context.ts'
import { isLimitReached } from '../../db/limit-reached.ts'
import type { LoginTarget } from '../../devices/presence.ts'
import type { KeyUse } from '../../public-keys/rules.ts'
import type { NewSession, SessionCause } from '../../sessions/service.ts'
import type { AcceptedLogin } from './accepted-login.ts'
import { type AuthStream, openAuthStream } from './auth-stream.ts'
import { quoted } from '../record/device-text.ts'
import { causeForDevice } from '../record/end-cause.ts'
import type { Credential } from './credential.ts'
import type { DeviceChecks } from './device-checks.ts'
import type { Guesses } from '../admission/guesses.ts'
import { FactorCheck, type FactorCheckDeps, type FactorOutcome } from './factor-check.ts'
import { type IdentityDeps, identify, personBehind } from './identity.ts'
import { FirewallCheck, type FirewallCheckDeps } from './firewall-check.ts'
import type { LiveLogins } from './live-logins.ts'
import { KEY_STEP_MS, REFUSAL_STEP_MS, paced } from '../admission/refusal-pace.ts'
import { type SessionRecord, openSessionRecord } from '../record/session-record.ts'
import type { SessionBudget } from './session-budget.ts'
import type { SshId } from './sshid.ts'
import type { Statement } from './statement.ts'
import { type Span, inSpan, traceField } from '../../platform/tracing/spans.ts'
import { TEXTS } from '../record/texts.ts'

export interface LoginDeps extends FirewallCheckDeps, FactorCheckDeps, IdentityDeps {
  /** The endpoint that the client uses: `type` of the session. */
  readonly endpoint: NewSession['type']
  /** The console's user behind a web terminal; undefined for all others. */
  readonly person: UserId | undefined
  /** The link of a device, whichever node holds it; undefined while it is offline or cannot be reached. */
  readonly reach: (target: LoginTarget) => Promise<Link | undefined>
  readonly node: string
  readonly resolve: (target: SshId['target']) => Promise<LoginTarget | undefined>
  readonly contextOf: (target: LoginTarget) => TenantContext
  readonly checks: DeviceChecks
  readonly budget: SessionBudget
  readonly guesses: Guesses
  readonly live: Pick<LiveLogins, 'changes'>
  readonly clock: Clock
  /** Checks whether a key is registered for such a login. */
  readonly keyMayLogIn: (ctx: TenantContext, blob: Uint8Array, use: KeyUse) => Promise<boolean>
  /** Signs the statement that the platform has authorised a login. */
  readonly sign: (statement: Statement) => string
}

/** Login's own dependencies and the trace that it belongs to. */
export type TracedLoginDeps = LoginDeps & { readonly trace: Span }

/** Events for the owner of a login. */
export interface LoginEvents {
  /** A credential was accepted. @param since count of policy changes from before it was evaluated */
  accepted(login: AcceptedLogin, since: number): void
  /** The device's side of the login ended, accepted or not. */
  lost(cause: LinkCause): void
}

/** One attempt on an accepted device, with the row that records it. */
interface Attempt {
  readonly ctx: TenantContext
  readonly target: LoginTarget
  readonly credential: Credential
  /** Account that the firewall was asked about. */
  readonly person: UserId | undefined
  /** Written in parallel with the firewall's and the device's check; awaited before a login is accepted. */
  readonly row: Promise<SessionRecord>
}

const REFUSED_PASSWORD: AuthDecision = { result: 'reject', message: TEXTS.notAccepted }
const ENDED: AuthDecision = { result: 'disconnect', message: 'The connection has ended.' }
const NO_PERMIT = Promise.resolve(() => undefined)

/** Used in this order: any number of `query` and `evaluate`, one at a time, then `close`. */
export class Login {
  readonly #deps: TracedLoginDeps
  readonly #connection: SshConnection
  readonly #id: SshId
  readonly #events: LoginEvents
  readonly #firewall: FirewallCheck
  readonly #factor: FactorCheck
  #state: { readonly is: 'open' } | { readonly is: 'accepted'; releaseSlot(): void } | { readonly is: 'closed' } = {
    is: 'open',
  }
  /** The row of the first attempt, and its device. */
  #row: { readonly device: string; readonly opened: Promise<SessionRecord> } | undefined
  #auth: AuthStream | undefined
  /** The SSH server of the device was not the one that was enrolled; it got no credential. */
  #hostKeyChanged = false
  /** The pending attempt. */
  #attempt: Promise<unknown> = Promise.resolve()
  /** True once the pending attempt has queued for the device's check. */
  #asked = false
  readonly #ended = new AbortController()

  constructor(deps: TracedLoginDeps, connection: SshConnection, id: SshId, events: LoginEvents) {
    this.#deps = deps
    this.#connection = connection
    this.#id = id
    this.#events = events
    this.#firewall = new FirewallCheck(deps)
    this.#factor = new FactorCheck(deps, connection)
  }

  /** Policy's refusal of the last attempt, for the row; the client receives less. */
  get refusal(): SessionCause | undefined {
    return this.#firewall.refusal ?? this.#factor.refusal
  }

  /** True once a credential was right and only the second factor was missing. */
  get isProven(): boolean {
    return this.#factor.isProven
  }

  /** True if the next keyboard-interactive attempt is about the second factor of a proven key. */
  get asksForFactor(): boolean {
    return this.#factor.pendingKey !== undefined
  }

  /** Checks whether a key would be accepted: without side effects, with one refusal for every reason. */
  query(blob: Uint8Array): Promise<AuthDecision> {
    return this.#paced(this.#query(blob), KEY_STEP_MS)
  }

  /** Evaluates one credential. Rejects when the database does not answer: no login without a row. */
  evaluate(credential: Credential): Promise<AuthDecision> {
    const byKey = credential.method === 'publickey'
    const decided = byKey ? this.#decide(credential) : this.#guess(credential)
    this.#attempt = decided.catch(() => undefined)
    return this.#paced(decided, byKey ? KEY_STEP_MS : REFUSAL_STEP_MS)
  }

  /** Asks for the second factor of the proven key, which is then evaluated again. */
  answerFactor(attempt: Parameters<FactorCheck['answer']>[0]): Promise<AuthDecision> {
    const key = this.#factor.pendingKey
    const decided = this.#factor.answer(attempt).then((outcome) => {
      const passed = outcome === 'waited' || outcome === 'passed'
      return passed && key ? this.#decide(key) : (outcome as AuthDecision)
    })
    this.#attempt = decided.catch(() => undefined)
    return decided
  }

  /** Closes the `auth` stream and the row. */
  async close(cause: SessionCause): Promise<void> {
    const endStream = (): void => this.#auth?.stream.close(causeForDevice(cause))
    const before = this.#state
    this.#state = { is: 'closed' }
    this.#ended.abort()
    this.#factor.leave()
    endStream()
    // A pending attempt may still open a row and a stream: they end with the login.
    await this.#attempt
    endStream()
    if (before.is === 'accepted') before.releaseSlot()
    const row = await this.#row?.opened.catch(() => undefined)
    await row?.close(cause)
  }

  /** Not a user of the console: anybody can type a password, so the reason for a refusal is not disclosed. */
  get #isAnonymous(): boolean {
    return this.#deps.person === undefined
  }

  #paced(decision: Promise<AuthDecision>, stepMs: number): Promise<AuthDecision> {
    return this.#isAnonymous ? paced(this.#deps.clock, decision, stepMs) : decision
  }

  /** Evaluates a password or answers, unless the source has guessed too often. */
  async #guess(credential: Credential): Promise<AuthDecision> {
    const { target, user } = this.#id
    const name = 'uid' in target ? target.uid : `${target.namespace}.${target.device}`
    const settle = await this.#deps.guesses.begin(this.#connection.peer.address, name, user)
    if (!settle) return { result: 'disconnect', message: TEXTS.tooManyGuesses }
    let wrong = false
    this.#asked = false
    try {
      const decision = await this.#decide(credential)
      wrong = decision.result === 'reject'
      if (wrong && !this.#asked && this.#isAnonymous) {
        await this.#deps.checks.imitate(name, credential, this.#connection.peer.address, this.#ended.signal)
      }
      return decision
    } finally {
      await settle(wrong)
    }
  }

  async #query(blob: Uint8Array): Promise<AuthDecision> {
    const target = await this.#deps.resolve(this.#id.target)
    const accepts = target?.status === 'accepted' && (await this.#takesKey(this.#deps.contextOf(target), target, blob))
    return { result: accepts ? 'accept' : 'reject' }
  }

  #takesKey(ctx: TenantContext, target: LoginTarget, blob: Uint8Array): Promise<boolean> {
    return this.#deps.keyMayLogIn(ctx, blob, this.#useOf(target))
  }

  #useOf({ name, tags }: LoginTarget): KeyUse {
    return { user: this.#id.user, device: { name, tags } }
  }

  async #decide(credential: Credential): Promise<AuthDecision> {
    const { live, resolve, reach, contextOf, trace } = this.#deps
    const since = live.changes
    const target = await inSpan('login.resolve', trace, () => resolve(this.#id.target))
    const link = target?.status === 'accepted' ? await reach(target) : undefined
    const byKey = credential.method === 'publickey'
    // An unregistered key discloses nothing, not even that there is no such device: the client tries its next key.
    if (target?.status !== 'accepted') return byKey ? { result: 'reject' } : this.#refuse(credential, TEXTS.unreachable)
    const ctx = contextOf(target)
    if (byKey && !(await this.#takesKey(ctx, target, credential.blob))) return { result: 'reject' }
    if (target.disabled) return this.#refuse(credential, TEXTS.namespaceDisabled)
    if (this.#state.is === 'closed') return ENDED
    const row = this.#openRow(ctx, target, credential)
    // Awaited below, after the firewall was asked; it may fail before.
    row.catch(() => undefined)
    try {
      const attempt = { ctx, target, credential, row, person: await personBehind(this.#deps, ctx, credential) }
      const allowed = await inSpan('login.firewall', trace, () => this.#isLetThrough(attempt))
      if (!allowed) return this.#refuse(credential, this.#firewall.textFor(target, attempt.person))
      if (!link) return this.#refuse(credential, TEXTS.unreachable)
      const factor = byKey ? await this.#factor.ofKey(ctx, target, this.#id.user, credential) : 'passed'
      if (factor === 'waited') return await this.#decide(credential)
      if (factor !== 'passed') return factor
      return await inSpan('device.auth', trace, () => this.#askDevice(attempt, link, since))
    } finally {
      await row
    }
  }

  /**
   * Refuses without a check by the device. The reason is sent only after a valid signature by a registered key; unchecked
   * passwords and answers get the same refusal as wrong ones.
   */
  #refuse({ method }: Credential, message: string): AuthDecision {
    return this.#isAnonymous && method !== 'publickey' ? REFUSED_PASSWORD : { result: 'disconnect', message }
  }

  #isLetThrough({ ctx, target, person, row }: Attempt): Promise<boolean> {
    const { address } = this.#connection.peer
    return this.#firewall.allows(ctx, row, target, { address, person, ...this.#useOf(target) })
  }

  /** The session's row, opened by the first attempt that names an accepted device. */
  #openRow(ctx: TenantContext, { uid: device }: LoginTarget, credential: Credential): Promise<SessionRecord> {
    if (this.#row?.device === device) return this.#row.opened
    if (this.#row)
      return Promise.reject(new Error('the name of the device has changed its meaning within one connection'))
    const session = {
      uid: this.#connection.sessionId as SessionUid,
      device,
      username: this.#id.user,
      address: this.#connection.peer.address,
      type: this.#deps.endpoint,
      node: this.#deps.node,
    }
    const opened = identify(this.#deps, ctx, credential).then((identity) =>
      openSessionRecord(ctx, { ...session, identity }),
    )
    this.#row = { device, opened }
    return opened
  }

  async #askDevice(attempt: Attempt, link: Link, since: number): Promise<AuthDecision> {
    const { ctx, target, credential } = attempt
    const byKey = credential.method === 'publickey'
    if (this.#state.is === 'closed') return ENDED
    const auth = this.#authStreamOn(link, ctx.clock)
    this.#asked = true
    const { address } = this.#connection.peer
    const verdict = await auth.check(this.#credentialFor(target, credential), {
      // A key's signature has been verified here; checking the platform's statement costs the device next to nothing.
      permit: (work) => (byKey ? NO_PERMIT : this.#deps.checks.acquire(target.uid, work, address)),
      ...(credential.method === 'keyboard-interactive' ? { person: credential.person } : {}),
    })
    if (verdict === undefined) return this.#refuse(credential, this.#hostKeyChanged ? TEXTS.hostKey : TEXTS.unreachable)
    const record = await attempt.row
    if (verdict.type === 'accepted') {
      // The device may have been lost since it answered.
      if (!auth.usableOn(link)) return this.#refuse(credential, TEXTS.unreachable)
      const factor = await this.#factorOfPassword(attempt)
      if (factor !== 'passed' && factor !== 'waited') {
        auth.stream.close({ by: 'gateway', reason: 'login-closed', message: 'The second factor is missing.' })
        return factor
      }
      const person = await personBehind(this.#deps, ctx, credential, this.#factor)
      // The factor has told who typed a password: rules about people apply from here on.
      if (person !== attempt.person && !(await this.#isLetThrough({ ...attempt, person }))) {
        auth.stream.close({ by: 'gateway', reason: 'login-closed', message: 'The firewall refuses this person.' })
        return { result: 'disconnect', message: this.#firewall.textFor(target, person) }
      }
      if (!auth.usableOn(link)) return this.#refuse(credential, TEXTS.unreachable)
      return this.#accept({ ...attempt, person }, { link, stream: auth.stream, record }, since)
    }
    ctx.log.info('ssh.login-failed', { session: record.uid, device: target.uid, reason: verdict.reason })
    // A key that the gateway has verified and the device does not take: the password may be right.
    if (verdict.message && byKey && verdict.reason === 'credential') {
      return { result: 'reject', message: quoted(target.name, verdict.message) }
    }
    // Denied despite the right credential, and no other would help: disconnect with the reason, as sshd does.
    // A method that a device does not have is told to people who are known: strangers learn of no device by a guess.
    const isHidden = verdict.reason === 'unsupported' && this.#isAnonymous && !byKey
    if (verdict.message && !isHidden) return { result: 'disconnect', message: quoted(target.name, verdict.message) }
    if (verdict.reason === 'busy') return this.#refuse(credential, TEXTS.busy)
    return byKey ? { result: 'reject' } : REFUSED_PASSWORD
  }

  /** The second factor after a password that the device has accepted; of a key it is asked before the device is. */
  async #factorOfPassword({ ctx, target, credential }: Attempt): Promise<FactorOutcome> {
    if (credential.method === 'publickey') return 'passed'
    const person = credential.method === 'password' ? undefined : credential.person
    const ask = person && ((name: string, instruction: string) => person.ask({ name, instruction, prompts: [] }))
    return this.#factor.ofPassword(ctx, target, this.#id.user, ask)
  }

  /** The stream of earlier attempts, unless the device has reconnected. */
  #authStreamOn(link: Link, clock: Clock): AuthStream {
    if (this.#auth?.usableOn(link)) return this.#auth
    this.#auth?.stream.close({ by: 'gateway', reason: 'login-closed', message: 'The device has reconnected.' })
    const lost = (cause: LinkCause): void => {
      this.#hostKeyChanged = cause.reason === 'host-key'
      if (this.#auth === opened) this.#events.lost(cause)
    }
    const opened = openAuthStream(link, this.#id.user, this.#connection, clock, lost, traceField(this.#deps.trace))
    this.#auth = opened
    return opened
  }

  #accept(
    { ctx, target, credential, person }: Attempt,
    device: Pick<AcceptedLogin, 'link' | 'stream' | 'record'>,
    since: number,
  ): AuthDecision {
    if (this.#state.is === 'closed') return ENDED
    const { user } = this.#id
    if (target.lapsed) return { result: 'disconnect', message: TEXTS.lapsed }
    const releaseSlot = this.#deps.budget.take(target, user)
    if (!releaseSlot) return { result: 'disconnect', message: TEXTS.tooManySessions }
    this.#state = { is: 'accepted', releaseSlot }
    const { record } = device
    const recorded = record.authenticated(() => identify(this.#deps, ctx, credential, this.#factor))
    recorded.catch((error: unknown) => {
      ctx.log.error('session.error', { session: record.uid, err: error })
      const message = isLimitReached(error) ? TEXTS.sessionLimit : TEXTS.unavailable
      this.#connection.disconnect({ by: 'local', reason: 'not-recorded', message })
    })
    const key = credential.method === 'publickey' ? credential.blob : undefined
    const forwarding = { policy: target.forwarding, used: false }
    const { trace } = this.#deps
    const { grant } = this.#firewall
    this.#events.accepted({ ...device, ctx, recorded, target, forwarding, trace, user, person, grant, key }, since)
    return { result: 'accept' }
  }

  #credentialFor(target: LoginTarget, credential: Credential): AuthCredential {
    if (credential.method === 'password') return credential
    if (credential.method === 'keyboard-interactive') return { method: credential.method }
    const { sessionId: session } = this.#connection
    return {
      method: 'statement',
      statement: this.#deps.sign({ session, user: this.#id.user, device: target.uid }),
    }
  }
}
