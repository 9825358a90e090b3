// Keeps one link to the server: dials, waits with jitter, dials again, and moves to a new link before the old one ends
// when the server asks for it. A link that dies young does not count as a success, so a flapping agent slows down.
import { Backoff } from '@bowline/base/backoff'
import type { Clock } from '@bowline/base/clock'
import type { Link, LinkCause, LinkHandler } from '../api.ts'
import type { DialOutcome } from './dial.ts'
import { Guard } from '../session/guard.ts'

export const BACKOFF_BASE_MS = 500
export const BACKOFF_CAP_MS = 30_000
/**
 * Another agent has this identity. Fighting over it would take both down, so this one only looks in now and then, and
 * never at once: at least half of these.
 */
export const DISPLACED_BASE_MS = 60_000
export const DISPLACED_CAP_MS = 15 * 60_000
/** A link counts as a success after this long. */
export const SETTLED_MS = 30_000
/** Agents that are asked to move, move within this time of each other. */
export const GOAWAY_SPREAD_MS = 5_000
/** Longest pause that a server may ask for. */
const RETRY_AFTER_MAX_SECONDS = 3_600
/** How often a link that has been replaced is looked at: it ends when its last stream has ended. */
const LEAVE_POLL_MS = 1_000

export interface LinkKeeperParts {
  /**
   * One attempt: registers if that is due, then dials with this handler. A rejection counts as a failure.
   * @param signal fires when the keeper stops
   */
  dial(handler: LinkHandler, signal: AbortSignal): Promise<DialOutcome>
  /** Who answers the streams of every link, and hears of its `goaway` and `closed`. */
  readonly handler: LinkHandler
  readonly clock: Clock
  /** Evenly from 0 (inclusive) to 1 (exclusive). */
  random(): number
  /** There is a new link; streams are to be opened here from now on. */
  linked?(link: Link): void
  /** There is no link, or the one there is ends soon; the next attempt is `ms` milliseconds away. */
  waiting?(ms: number, cause: LinkCause): void
  /** Told what `linked` or `waiting` threw. */
  report(error: unknown, callback: string): void
}

/** One attempt and the link it led to. */
interface Life {
  link: Link | undefined
  linkedAt: number
  ended: boolean
  /** The server has asked us to move: the next attempt is on its way, whatever becomes of this link. */
  replaced: boolean
}

/** Long-lived: `start`, then `drain` and `close`, or `close` alone. */
export class LinkKeeper {
  readonly #parts: LinkKeeperParts
  readonly #guard: Guard
  readonly #backoff: Backoff
  readonly #displaced: Backoff
  readonly #lives = new Set<Life>()
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

  /** Begins with an attempt at once. */
  start(): void {
    if (this.#state !== 'new') return
    this.#state = 'running'
    void this.#attempt()
  }

  /** No further attempts; the server is asked to open no more streams on the links there are. */
  drain(cause: LinkCause): void {
    if (this.#state === 'stopped') return
    this.#halt('draining')
    for (const { link } of this.#lives) link?.goaway(cause)
  }

  /** Ends everything. */
  close(cause: LinkCause): void {
    this.#halt('stopped')
    for (const { link } of this.#lives) link?.close(cause)
  }

  #halt(state: 'draining' | 'stopped'): void {
    this.#state = state
    this.#cancelTimer()
    this.#stop.abort()
  }

  /** Never rejects. */
  async #attempt(): Promise<void> {
    const life: Life = { link: undefined, linkedAt: 0, ended: false, replaced: false }
    let outcome: DialOutcome
    try {
      outcome = await this.#parts.dial(this.#handlerOf(life), this.#stop.signal)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      outcome = { cause: { by: 'agent', reason: 'attempt-failed', message } }
    }
    if ('cause' in outcome) return this.#wait(outcome.cause, outcome.retryAfterSeconds)
    const { link } = outcome
    if (life.ended) return
    if (this.#state !== 'running') {
      return link.close({ by: 'agent', reason: 'stopped', message: 'the agent is stopping' })
    }
    life.link = link
    life.linkedAt = this.#parts.clock.monotonic()
    this.#lives.add(life)
    for (const other of this.#lives) if (other.replaced) this.#leave(other)
    this.#guard.call('linked', () => this.#parts.linked?.(link))
  }

  #handlerOf(life: Life): LinkHandler {
    const { handler } = this.#parts
    return {
      open: (kind, header, stream) => handler.open(kind, header, stream),
      alive: (roundTripMs) => handler.alive?.(roundTripMs),
      goaway: (cause) => {
        this.#move(life, cause)
        handler.goaway?.(cause)
      },
      closed: (cause) => {
        this.#lost(life, cause)
        handler.closed(cause)
      },
    }
  }

  #lost(life: Life, cause: LinkCause): void {
    life.ended = true
    this.#lives.delete(life)
    if (life.replaced) return
    this.#forgive(life)
    this.#wait(cause)
  }

  /** A link that held for long makes the pauses short again, whether it was lost or told to move. */
  #forgive(life: Life): void {
    const lastedMs = life.link ? this.#parts.clock.monotonic() - life.linkedAt : 0
    if (lastedMs >= SETTLED_MS) this.#backoff.reset()
    // Two agents that take turns last about as long as the other one waits.
    if (lastedMs >= 2 * DISPLACED_CAP_MS) this.#displaced.reset()
  }

  #move(life: Life, cause: LinkCause): void {
    if (this.#state !== 'running' || life.replaced) return
    life.replaced = true
    this.#forgive(life)
    this.#schedule(this.#parts.random() * GOAWAY_SPREAD_MS, cause)
  }

  /** Ends a link that has been replaced once its streams have ended. */
  #leave(life: Life): void {
    if (life.ended) return
    if (life.link?.streamCount === 0) {
      return life.link.close({ by: 'agent', reason: 'moved', message: 'the agent has another link now' })
    }
    this.#parts.clock.after(LEAVE_POLL_MS, () => this.#leave(life))
  }

  #wait(cause: LinkCause, retryAfterSeconds = 0): void {
    if (this.#state !== 'running') return
    const backoff = cause.reason === 'displaced' ? this.#displaced : this.#backoff
    this.#schedule(Math.min(retryAfterSeconds, RETRY_AFTER_MAX_SECONDS) * 1_000 + backoff.next(), cause)
  }

  #schedule(ms: number, cause: LinkCause): void {
    this.#cancelTimer = this.#parts.clock.after(ms, () => void this.#attempt())
    this.#guard.call('waiting', () => this.#parts.waiting?.(ms, cause))
  }
}
