// Dials the engine of one connector for as long as it is enabled, and keeps its containers and its status up to date.
import { Backoff } from '@bowline/base/backoff'
import type { Clock } from '@bowline/base/clock'
import type { Semaphore } from '@bowline/base/semaphore'
import type { Engine } from '@bowline/engine/client'
import { EngineError } from '@bowline/engine/errors'
import type { Watch } from '@bowline/engine/watch'
import { LIMITS } from '@bowline/contract/limits'
import type { LinkCause } from '@bowline/link/api'
import type { TenantContext } from '../../context.ts'
import { type DeviceLinks, Roster } from './roster.ts'

export interface DialerParts {
  readonly uid: string
  readonly ctx: TenantContext
  /** For the dialer's own calls; its connections end with the dialer. */
  readonly engine: Engine
  /** For sessions, whose processes are told of the end. */
  readonly sessions: Engine
  readonly clock: Clock
  readonly links: DeviceLinks
  /** Bounds the dials of all connectors. */
  readonly permits: Semaphore
  /** Ends the connections of `engine`. */
  readonly abort: () => void
  /** Stores the status. @returns false when the connector is gone */
  readonly report: (state: 'connected' | 'disconnected', message: string) => Promise<boolean>
}

/** Attempts at an engine that fails. */
const BACKOFF = { baseMs: 2_000, capMs: 120_000, leastShare: 0.5 }
/** The whole list is compared this often, in milliseconds: events can be lost. */
const COMPARE_MS = 60_000
/** Changed containers that are remembered; beyond them the whole list is compared. */
const MAX_CHANGED = 200

/** Why containers go offline while the connector stays. */
const LOST: LinkCause = {
  by: 'network',
  reason: 'engine-lost',
  message: 'The connection to the container engine was lost.',
}

export class Dialer {
  readonly #parts: DialerParts
  readonly #backoff = new Backoff(BACKOFF)
  readonly #changed = new Set<string>()
  readonly #done: Promise<void>
  #roster: Roster | undefined
  #stopped: LinkCause | undefined
  #compare = false
  /** Time of the next comparison, by the monotonic clock. */
  #compareAt = 0
  /** Attempts that have failed since the last connection. */
  #failures = 0
  #lost: EngineError | undefined
  /** Ends the current wait. */
  #wake = (): void => undefined
  readonly #first = Promise.withResolvers<void>()

  constructor(parts: DialerParts) {
    this.#parts = parts
    this.#done = this.#run()
  }

  /** Resolves when the first attempt has succeeded or failed, and the status says so. */
  get tried(): Promise<void> {
    return this.#first.promise
  }

  /** Tries again at once, if it waits for that: something has changed. */
  retry(): void {
    this.#backoff.reset()
    this.#wake()
  }

  /** Takes the containers offline. Resolves when nothing of the dialer is under way. */
  async stop(cause: LinkCause): Promise<void> {
    this.#stopped ??= cause
    this.#roster?.close(this.#stopped)
    this.#wake()
    this.#first.resolve()
    this.#parts.abort()
    await this.#done
    this.#roster?.close(this.#stopped)
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#serve()
      } catch (error) {
        await this.#failed(error)
      }
    }
  }

  async #failed(error: unknown): Promise<void> {
    const { ctx, uid } = this.#parts
    if (this.#stopped) return
    this.#failures += 1
    // Sessions survive a short interruption: their own connections may stand.
    if (this.#failures > 1) this.#loseContainers()
    const isEngine = error instanceof EngineError
    if (isEngine) ctx.log.info('connector.disconnected', { connector: uid, reason: error.message })
    else ctx.log.error('connector.error', { connector: uid, err: error })
    await this.#report('disconnected', isEngine ? `${error.message}.` : 'The server could not do its part.')
    this.#first.resolve()
    await this.#wait(this.#backoff.next())
  }

  #loseContainers(): void {
    this.#roster?.close(LOST)
    this.#roster = undefined
  }

  /** From a connection to its end. @throws {EngineError} */
  async #serve(): Promise<void> {
    const { permits, ctx } = this.#parts
    const watch = await permits.run(() => this.#connect(), ctx.tenant)
    if (!watch) throw new EngineError('too many connectors are being dialled; trying again')
    try {
      while (!this.#stopped && !this.#lost) await this.#keep()
    } finally {
      watch.close()
    }
    if (this.#lost) throw this.#lost
  }

  async #connect(): Promise<Watch> {
    const { engine, uid, ctx, links } = this.#parts
    const { Version, Arch } = await engine.version()
    this.#lost = undefined
    // Before the list, so that nothing between them is missed.
    const watch = await engine.watch(
      (id) => this.#note(id),
      (error) => {
        this.#lost = error
        this.#wake()
      },
    )
    try {
      const about = { engineVersion: Version, arch: Arch }
      this.#roster ??= new Roster({ connector: uid, ctx, engine, sessions: this.#parts.sessions, about, links })
      await this.#compareAll(this.#roster)
    } catch (error) {
      watch.close()
      throw error
    }
    ctx.log.info('connector.connected', { connector: uid, containers: this.#roster.size })
    this.#failures = 0
    this.#first.resolve()
    return watch
  }

  #note(id: string): void {
    if (this.#changed.size < MAX_CHANGED) this.#changed.add(id)
    else this.#compare = true
    this.#wake()
  }

  /** Handles what has changed, then waits for more. */
  async #keep(): Promise<void> {
    const roster = this.#roster
    if (!roster) return
    if (this.#compare) {
      this.#changed.clear()
      await this.#compareAll(roster)
    }
    const changed = [...this.#changed]
    this.#changed.clear()
    for (const id of changed) {
      if (this.#stopped) return
      // What cannot be asked now shows in the next comparison.
      await roster.look(id).catch(ignoreEngine)
    }
    const isDue = this.#parts.clock.monotonic() >= this.#compareAt
    if (this.#compare || this.#lost || (this.#changed.size > 0 && !isDue)) return
    const leftMs = this.#compareAt - this.#parts.clock.monotonic()
    if (leftMs > 0 && !(await this.#wait(leftMs))) return
    // An engine that ends its connections at once is not dialled faster for it.
    this.#backoff.reset()
    this.#compare = true
  }

  async #compareAll(roster: Roster): Promise<void> {
    this.#compare = false
    this.#compareAt = this.#parts.clock.monotonic() + COMPARE_MS
    const tooMany = await roster.compare(await this.#parts.engine.list())
    if (this.#stopped) return
    const limit = `${tooMany} running containers are left out: at most ${LIMITS.containersPerConnector} become devices.`
    await this.#report('connected', tooMany === 0 ? '' : limit)
  }

  async #report(state: 'connected' | 'disconnected', message: string): Promise<void> {
    if (this.#stopped) return
    try {
      const exists = await this.#parts.report(state, message)
      if (!exists) this.#stopped ??= REMOVED
      if (this.#stopped) this.#roster?.close(this.#stopped)
    } catch (error) {
      // The database is away; the next change of the status is stored again.
      this.#parts.ctx.log.error('connector.error', { connector: this.#parts.uid, err: error })
    }
  }

  /** @returns true when the time has passed, false when something woke it */
  #wait(delayMs: number): Promise<boolean> {
    if (this.#stopped) return Promise.resolve(false)
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(delayMs, () => resolve(true))
      this.#wake = () => {
        cancel()
        resolve(false)
      }
    })
  }
}

/** @throws anything else */
function ignoreEngine(error: unknown): void {
  if (!(error instanceof EngineError)) throw error
}

export const REMOVED: LinkCause = { by: 'admin', reason: 'connector-removed', message: 'Its connector was removed.' }
