// Keeps one link to the server: dials, retries with jittered backoff, and moves to a new link before the old one ends
// when the server asks for it. A short-lived link does not count as a success, so a flapping agent slows down.
import { Backoff } from '@bowline/base/backoff'
import type { Clock } from '@bowline/base/clock'
import type { Link, LinkCause, LinkHandler } from '../api.ts'
import type { DialOutcome } from './dial.ts'
import { Guard } from '../session/guard.ts'

export const BACKOFF_BASE_MS = 500
export const BACKOFF_CAP_MS = 30_000
/**
 * Another agent has this identity. Fighting over it would take both down, so this one retries rarely and never at
 * once: after at least half of these.
 */
export const DISPLACED_BASE_MS = 60_000
export const DISPLACED_CAP_MS = 15 * 60_000
/** A link counts as a success after this long. */
export const SETTLED_MS = 30_000
/** Agents that are asked to move do so within this time, spread out to avoid a thundering herd. */
export const GOAWAY_SPREAD_MS = 5_000
/** Longest Retry-After honoured. */
const MAX_RETRY_AFTER_SECONDS = 3_600
/** How often a replaced link is polled: it is closed when its last stream has ended. */
const LEAVE_POLL_MS = 1_000

export interface LinkKeeperParts {
  /**
   * One attempt: registers if needed, then dials with this handler. A rejection counts as a failure.
   * @param signal fires when the keeper stops
   */
  dial(handler: LinkHandler, signal: AbortSignal): Promise<DialOutcome>
  /** Handles the streams of every link, and its `goaway` and `closed`. */
  readonly handler: LinkHandler
  readonly clock: Clock
  /** Uniform in [0, 1). */
  random(): number
  /** There is a new link; open streams here from now on. */
  linked?(link: Link): void
  /** There is no link, or the current one ends soon; the next attempt is in `ms` milliseconds. */
  waiting?(ms: number, cause: LinkCause): void
  /** Called with what `linked` or `waiting` threw. */
  report(error: unknown, callback: string): void
}

/** One attempt and the link that resulted. */
interface LinkAttempt {
  link: Link | undefined
  linkedAt: number
  ended: boolean
  /** The server has asked us to move: the next attempt is scheduled, whatever happens to this link. */
  replaced: boolean
}

/** Lifecycle: `start`, then `drain` and `close`, or `close` alone. */
export class LinkKeeper {
  readonly #parts: LinkKeeperParts
  readonly #guard: Guard
  readonly #backoff: Backoff
  readonly #displaced: Backoff
  readonly #attempts = new Set<LinkAttempt>()
  readonly #stop = new AbortController()
  #cancelTimer: () => void = () => undefined
  #state: 'new' | 'running' | 'draining' | 'stopped' = 'new'

  constructor(parts: LinkKeeperParts) {
    this.#parts = parts
    this.#guard = new Guard((error, callback) => parts.report(error, callback))
    const random = (): number => parts.random()
    this.#backoff = new Backoff({ baseMs: BACKOFF_BASE_MS, capMs: BACKOFF_CAP_MS, random })
    this.#displaced = new Backoff({ baseMs: DISPLACED_BASE_MS, capMs: DISPLACED_CAP_MS, leastShare: 0.5, random })
  }

  /** Dials immediately. */
  start(): void {
    if (this.#state !== 'new') return
    this.#state = 'running'
    void this.#attempt()
  }

  /** Makes no further attempts and asks the server to open no more streams on the current links. */
  drain(cause: LinkCause): void {
    if (this.#state === 'stopped') return
    this.#halt('draining')
    for (const { link } of this.#attempts) link?.goaway(cause)
  }

  /** Ends everything. */
  close(cause: LinkCause): void {
    this.#halt('stopped')
    for (const { link } of this.#attempts) link?.close(cause)
  }

  #halt(state: 'draining' | 'stopped'): void {
    this.#state = state
    this.#cancelTimer()
    this.#stop.abort()
  }

  /** Never rejects. */
  async #attempt(): Promise<void> {
    const attempt: LinkAttempt = { link: undefined, linkedAt: 0, ended: false, replaced: false }
    let outcome: DialOutcome
    try {
      outcome = await this.#parts.dial(this.#handlerOf(attempt), this.#stop.signal)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      outcome = { cause: { by: 'agent', reason: 'attempt-failed', message } }
    }
    if ('cause' in outcome) return this.#wait(outcome.cause, outcome.retryAfterSeconds)
    const { link } = outcome
    if (attempt.ended) return
    if (this.#state !== 'running') {
      return link.close({ by: 'agent', reason: 'stopped', message: 'the agent is stopping' })
    }
    attempt.link = link
    attempt.linkedAt = this.#parts.clock.monotonic()
    this.#attempts.add(attempt)
    for (const other of this.#attempts) if (other.replaced) this.#leave(other)
    this.#guard.call('linked', () => this.#parts.linked?.(link))
  }

  #handlerOf(attempt: LinkAttempt): LinkHandler {
    const { handler } = this.#parts
    return {
      open: (kind, header, stream) => handler.open(kind, header, stream),
      alive: (roundTripMs) => handler.alive?.(roundTripMs),
      goaway: (cause) => {
        this.#move(attempt, cause)
        handler.goaway?.(cause)
      },
      closed: (cause) => {
        this.#lost(attempt, cause)
        handler.closed(cause)
      },
    }
  }

  #lost(attempt: LinkAttempt, cause: LinkCause): void {
    attempt.ended = true
    this.#attempts.delete(attempt)
    if (attempt.replaced) return
    this.#resetBackoff(attempt)
    this.#wait(cause)
  }

  /** Resets the backoff after a link that lasted, whether it was lost or asked to move. */
  #resetBackoff(attempt: LinkAttempt): void {
    const lastedMs = attempt.link ? this.#parts.clock.monotonic() - attempt.linkedAt : 0
    if (lastedMs >= SETTLED_MS) this.#backoff.reset()
    // Two agents that displace each other stay linked for about as long as the other one waits.
    if (lastedMs >= 2 * DISPLACED_CAP_MS) this.#displaced.reset()
  }

  #move(attempt: LinkAttempt, cause: LinkCause): void {
    if (this.#state !== 'running' || attempt.replaced) return
    attempt.replaced = true
    this.#resetBackoff(attempt)
    this.#schedule(this.#parts.random() * GOAWAY_SPREAD_MS, cause)
  }

  /** Closes a replaced link once its streams have ended. */
  #leave(attempt: LinkAttempt): void {
    if (attempt.ended) return
    if (attempt.link?.streamCount === 0) {
      return attempt.link.close({ by: 'agent', reason: 'moved', message: 'the agent has another link now' })
    }
    this.#parts.clock.after(LEAVE_POLL_MS, () => this.#leave(attempt))
  }

  #wait(cause: LinkCause, retryAfterSeconds = 0): void {
    if (this.#state !== 'running') return
    const backoff = cause.reason === 'displaced' ? this.#displaced : this.#backoff
    this.#schedule(Math.min(retryAfterSeconds, MAX_RETRY_AFTER_SECONDS) * 1_000 + backoff.next(), cause)
  }

  #schedule(ms: number, cause: LinkCause): void {
    this.#cancelTimer = this.#parts.clock.after(ms, () => void this.#attempt())
    this.#guard.call('waiting', () => this.#parts.waiting?.(ms, cause))
  }
}
