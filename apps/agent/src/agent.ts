// The running agent: registers, keeps one link to the server, and serves each link's streams until it is stopped.
import type { KeyObject } from 'node:crypto'
import { HANDING_OVER, type LinkCause, type LinkHandler } from '@bowline/link/api'
import type { Clock } from '@bowline/base/clock'
import { dialLink, type DialOutcome } from '@bowline/link/dial'
import { LinkKeeper } from '@bowline/link/reconnect'
import type { AgentFacts } from '@bowline/link/registration-proof'
import { AgentStreams } from './agent-streams.ts'
import { SYSTEM_RC } from './session/rc/rc-files.ts'
import { pair } from './device/pairing.ts'
import { register, RegistrationError, serverInfo, type DeviceFacts, type Registration } from './device/registration.ts'
import type { Server } from './device/server-api.ts'
import type { StatementKeyFile } from './device/statement-key-file.ts'
import type { TenantFile } from './device/tenant-file.ts'
import type { HealthReports } from './health/health-reports.ts'
import type { Authority } from './login/passwords.ts'
import { statementVerifier } from './login/statement.ts'
import type { Log } from './log.ts'

/** Interval of registrations while linked, plus up to a tenth of jitter. */
const REGISTER_AGAIN_MS = 10 * 60_000
/** Grace period of running sessions between SIGTERM and their end. */
const DRAIN_TIMEOUT_MS = 5_000
/** This long after a link is up, memory needed only for startup can be released. */
const SETTLED_MS = 2_000
const HAND_OVER_POLL_MS = 1_000
const CLOCK_TOLERANCE_SECONDS = 60
/** Reasons of a refused link for which the token or the key may be invalid. */
const REGISTER_AFTER = new Set(['unauthorized', 'not-found', 'wrong-proof'])

export interface AgentParts {
  readonly server: Server
  readonly facts: DeviceFacts
  /** Namespace in which the device registers; without one it is paired first. */
  readonly tenant: TenantFile
  readonly privateKey: KeyObject
  readonly statementKeys: StatementKeyFile
  readonly authority: Authority
  readonly pingMs: number
  readonly killOrphans: boolean
  /** Whether users' own `~/.ssh/rc` is run. */
  readonly permitUserRc: boolean
  /** Socket of the container engine that the server may use. */
  readonly engineSocket: string | undefined
  /** Reports of the device's health; undefined: the server gets none. */
  readonly health: HealthReports | undefined
  readonly clock: Clock
  readonly log: Log
  /** Facts about this agent for the server. */
  readonly agentFacts: () => AgentFacts
  /** The server wants the agent to update itself now. */
  readonly updateOffered: () => void
  /** Called with each change. */
  readonly reachable: (state: Reachability) => void
  /** Called occasionally while nothing runs here: an opportunity to release memory. */
  readonly onIdle: () => void
  /** Uniform in [0, 1). */
  random(): number
}

/** Whether users can reach this device, as far as this side knows. */
export interface Reachability {
  readonly linked: boolean
  /** `namespace.device[@host]`, once registered. */
  readonly sshid?: string
  /** The device is in no namespace and shows a code. The code is in the log only: everybody can read this. */
  readonly pairing?: boolean
}

/** Lifecycle: `start`, then `drain` and `close`. */
export class Agent {
  readonly #parts: AgentParts
  readonly #keeper: LinkKeeper
  readonly #stop = new AbortController()
  /** The streams of each link; more than one while the agent moves between links. */
  readonly #links = new Set<AgentStreams>()
  #registration: Registration | undefined
  /** From the server's last response. */
  #clockAheadSeconds = 0
  #sshHost: string | undefined
  #sshid: string | undefined
  #cancelTimer: () => void = () => {}
  #cancelRest: () => void = () => {}

  constructor(parts: AgentParts) {
    this.#parts = parts
    const { clock, log } = parts
    this.#keeper = new LinkKeeper({
      dial: (handler, signal) => this.#dial(handler, signal),
      handler: { open: () => this.#ownCause('refused', 'this link is not set up'), closed: () => {} },
      clock,
      random: () => parts.random(),
      linked: () => {
        log.info('link.up')
        this.#reportReachable(true)
        this.#idleLater()
      },
      waiting: (ms, cause) => this.#waiting(ms, cause),
      report: (error, callback) => this.#report(error, callback),
    })
  }

  /** Starts immediately, and retries forever. */
  start(): void {
    this.#keeper.start()
    this.#registerLater()
  }

  /** Accepts nothing new; resolves when the sessions have ended or their grace period is over. */
  async drain(): Promise<void> {
    this.#cancelTimer()
    this.#cancelRest()
    this.#keeper.drain(this.#ownCause('stopped', 'the agent is stopping'))
    const running = () => [...this.#links].some((streams) => streams.processCount > 0)
    for (let waitedMs = 0; running() && waitedMs < DRAIN_TIMEOUT_MS; waitedMs += 100) {
      await new Promise<void>((resolve) => this.#parts.clock.after(100, resolve))
    }
  }

  /**
   * Another process of this device takes over: keeps the links with what runs on them, and makes no new ones. The server
   * does not close them for the newer one.
   * @param isDecided whether it is known which process does, so that this one is not needed any more
   * @returns when nothing runs here any more, or `limitMs` are over
   */
  async handOver(isDecided: () => boolean, limitMs: number): Promise<void> {
    const { clock } = this.#parts
    this.#cancelTimer()
    this.#cancelRest()
    this.#keeper.drain(this.#ownCause(HANDING_OVER, 'a newer version of the agent takes over'))
    const deadline = clock.monotonic() + limitMs
    while (!isDecided() || (clock.monotonic() < deadline && this.isBusy)) {
      await new Promise<void>((resolve) => clock.after(HAND_OVER_POLL_MS, resolve))
    }
  }

  /**
   * Announces that another process will take over, for an update.
   * @returns whether the server then leaves the links of this one open; undefined when it does not tell
   * @throws {RegistrationError | ConnectError | Error} when it cannot be asked
   */
  async announceUpdate(release: number): Promise<boolean | undefined> {
    const registration = await this.#register(this.#stop.signal, release)
    this.#registration = registration
    return registration.handover
  }

  /** Whether something runs here that a newer link cannot take over. */
  get isBusy(): boolean {
    return [...this.#links].some((streams) => streams.isBusy)
  }

  close(): void {
    this.#stop.abort()
    this.#cancelTimer()
    this.#cancelRest()
    const cause = this.#ownCause('stopped', 'the agent has stopped')
    for (const streams of this.#links) streams.close(cause)
    this.#keeper.close(cause)
  }

  async #dial(handler: LinkHandler, signal: AbortSignal): Promise<DialOutcome> {
    const { server, privateKey, clock, pingMs, log } = this.#parts
    try {
      this.#registration ??= await this.#firstRegistration(signal)
    } catch (error) {
      return this.#registrationFailed(error)
    }
    const { uid, token } = this.#registration
    const streams = this.#newStreams()
    const outcome = await dialLink(
      { address: server.address, ...(server.pins ? { pins: server.pins } : {}), token, device: { uid, privateKey } },
      {
        handler: {
          ...handler,
          open: (kind, header, stream) => streams.open(kind, header, stream),
          closed: (cause) => {
            this.#links.delete(streams)
            if (this.#links.size === 0) this.#reportReachable(false)
            const level = cause.by === 'agent' ? 'info' : 'warn'
            log[level]('link.down', { by: cause.by, reason: cause.reason, message: cause.message })
            handler.closed(cause)
          },
        },
        clock,
        options: { pingMs, deadMs: pingMs * 2.25 },
        report: (error, callback) => this.#report(error, callback),
      },
      signal,
    )
    if ('cause' in outcome) {
      this.#links.delete(streams)
      if (REGISTER_AFTER.has(outcome.cause.reason)) this.#registration = undefined
    } else streams.link = outcome.link
    return outcome
  }

  #newStreams(): AgentStreams {
    const { authority, clock, log, killOrphans, permitUserRc, engineSocket, health, statementKeys } = this.#parts
    const device = () => this.#registration && { uid: this.#registration.uid, statementKey: statementKeys.key }
    const streams = new AgentStreams({
      authority,
      statements: statementVerifier(device, Date.now),
      clock,
      log,
      killOrphans,
      rc: { permitUserRc, systemRc: SYSTEM_RC },
      engineSocket,
      health,
    })
    this.#links.add(streams)
    return streams
  }

  async #firstRegistration(signal: AbortSignal): Promise<Registration> {
    const { server, facts } = this.#parts
    if (this.#sshHost === undefined) {
      const { sshHost, clockAheadSeconds } = await serverInfo(server, facts, signal)
      this.#sshHost = sshHost
      this.#clockAheadSeconds = clockAheadSeconds ?? 0
    }
    if (this.#parts.tenant.tenantId === undefined) await this.#pair(signal)
    return this.#register(signal)
  }

  async #pair(signal: AbortSignal): Promise<void> {
    const { tenant, log } = this.#parts
    this.#reportReachable(false, true)
    const { tenant_id: id, namespace } = await pair(this.#parts, signal)
    log.info('pairing.done', { namespace, file: tenant.path })
    try {
      tenant.store(id)
    } catch (error) {
      log.error('pairing.not-kept', { error: String(error) })
    }
    this.#reportReachable(false)
  }

  /** @param updating release that takes over; undefined: none does */
  async #register(signal: AbortSignal, updating?: number): Promise<Registration> {
    const { server, facts, tenant, log, privateKey, statementKeys } = this.#parts
    const { tenantId = '' } = tenant
    const sessions = [...this.#links].flatMap((streams) => streams.sessionUids)
    const { key: statementKey } = statementKeys
    const { agentFacts, updateOffered } = this.#parts
    const signing = statementKey && {
      privateKey,
      statementKey,
      clockAheadSeconds: this.#clockAheadSeconds,
      agent: updating === undefined ? agentFacts() : { ...agentFacts(), updating },
    }
    const { registration, clockAheadSeconds = 0 } = await register(
      server,
      { ...facts, tenantId },
      sessions,
      signing,
      signal,
    )
    this.#clockAheadSeconds = clockAheadSeconds
    const { uid, name, namespace } = registration
    const sshid = `${namespace}.${name}${this.#sshHost ? `@${this.#sshHost}` : ''}`
    log.info('registration.done', { uid, sshid })
    this.#sshid = sshid
    if (Math.abs(clockAheadSeconds) > CLOCK_TOLERANCE_SECONDS) {
      log.warn('clock.differs', {
        aheadSeconds: clockAheadSeconds,
      })
    }
    const { statement_key: key, statement_key_signature: signature } = registration
    if (key) this.#adoptKey(statementKeys, key, signature)
    if (registration.update) updateOffered()
    return registration
  }

  #adoptKey(file: StatementKeyFile, key: string, signature: string | undefined): void {
    const { log } = this.#parts
    const adoption = file.adopt(key, signature)
    if (adoption === 'learned') log.info('statement-key.learned', { file: file.path })
    if (adoption === 'changed') log.warn('statement-key.changed')
    if (adoption === 'refused') {
      log.error('statement-key.refused', { file: file.path })
    }
  }

  #registrationFailed(error: unknown): DialOutcome {
    const { tenant, log } = this.#parts
    const message = error instanceof Error ? error.message : String(error)
    const isGone = error instanceof RegistrationError && error.status === 404 && tenant.isPaired
    log.error('registration.failed', isGone ? { message, removeToPairAgain: tenant.path } : { message })
    const retryAfterSeconds = error instanceof RegistrationError ? error.retryAfterSeconds : undefined
    const cause = this.#ownCause('registration-failed', message)
    return retryAfterSeconds === undefined ? { cause } : { cause, retryAfterSeconds }
  }

  #registerLater(): void {
    const ms = REGISTER_AGAIN_MS * (1 + this.#parts.random() / 10)
    this.#cancelTimer = this.#parts.clock.after(ms, () => {
      this.#registerLater()
      this.#idleLater()
      // Without a link, the next attempt registers anyway.
      if (!this.#registration || this.#links.size === 0) return
      this.#register(this.#stop.signal).then(
        (registration) => {
          this.#registration = registration
        },
        (error: unknown) => this.#registrationFailed(error),
      )
    })
  }

  #reportReachable(linked: boolean, isWaiting = false): void {
    const sshid = this.#sshid === undefined ? {} : { sshid: this.#sshid }
    this.#parts.reachable({ linked, ...sshid, ...(isWaiting ? { pairing: true } : {}) })
  }

  #idleLater(): void {
    this.#cancelRest()
    this.#cancelRest = this.#parts.clock.after(SETTLED_MS, () => {
      if (![...this.#links].some((streams) => streams.processCount > 0)) this.#parts.onIdle()
    })
  }

  #waiting(ms: number, cause: LinkCause): void {
    const { log } = this.#parts
    const seconds = Math.round(ms / 1_000)
    const fields = { by: cause.by, reason: cause.reason, message: cause.message, nextAttemptSeconds: seconds }
    if (cause.reason === 'displaced') {
      log.error('link.displaced', fields)
    } else if (cause.reason !== 'registration-failed') log.warn('link.failed', fields)
  }

  #report(error: unknown, callback: string): void {
    const stack = error instanceof Error ? error.stack : undefined
    this.#parts.log.error('agent.internal-error', { callback, error: String(error), stack })
  }

  #ownCause(reason: string, message: string): LinkCause {
    return { by: 'agent', reason, message }
  }
}
