// Liveness check of the peer: pings at an interval, dead after a period of silence. One timer per link.
import type { Clock } from '@bowline/base/clock'
import type { LinkCause } from '../api.ts'

export interface KeepaliveEvents {
  /** A ping with this number is to be sent. */
  ping(number: number): void
  /** A ping was answered. */
  alive(roundTripMs: number): void
  /** No bytes received for `deadMs`. */
  dead(cause: LinkCause): void
}

/** A peer pings once a second at most; the burst is what arrives together after a stall of a minute. */
const PINGS = { perSecond: 2, burst: 60 }

export class Keepalive {
  readonly #clock: Clock
  /** Pings received beyond the rate, at `#pingedAt`. */
  #pings = 0
  #pingedAt = 0
  readonly #pingMs: number
  readonly #deadMs: number
  readonly #events: KeepaliveEvents
  #heardAt: number
  #pingAt: number
  #number = 0
  /** When the unanswered ping was sent. */
  #sentAt: number | undefined
  #cancel: () => void = () => undefined

  constructor(clock: Clock, limits: { pingMs: number; deadMs: number }, events: KeepaliveEvents) {
    this.#clock = clock
    this.#pingMs = limits.pingMs
    this.#deadMs = limits.deadMs
    this.#events = events
    this.#heardAt = clock.monotonic()
    this.#pingAt = this.#heardAt + this.#pingMs
    this.#arm()
  }

  /** Bytes arrived from the peer. */
  heard(): void {
    this.#heardAt = this.#clock.monotonic()
  }

  /** The peer sent a ping. @returns false when it exceeds the rate limit for pings */
  pinged(): boolean {
    const now = this.#clock.monotonic()
    const allowed = ((now - this.#pingedAt) / 1_000) * PINGS.perSecond
    this.#pings = Math.max(0, this.#pings - allowed) + 1
    this.#pingedAt = now
    return this.#pings <= PINGS.burst
  }

  /** A pong arrived; ignored unless it answers the outstanding ping. */
  answered(number: number): void {
    if (number !== this.#number || this.#sentAt === undefined) return
    const roundTripMs = this.#clock.monotonic() - this.#sentAt
    this.#sentAt = undefined
    this.#events.alive(roundTripMs)
  }

  stop(): void {
    this.#cancel()
  }

  #arm(): void {
    const at = Math.min(this.#pingAt, this.#heardAt + this.#deadMs)
    this.#cancel = this.#clock.after(Math.max(1, at - this.#clock.monotonic()), () => this.#check())
  }

  #check(): void {
    const now = this.#clock.monotonic()
    if (now - this.#heardAt >= this.#deadMs) {
      const seconds = Math.round(this.#deadMs / 1_000)
      return this.#events.dead({ by: 'network', reason: 'keepalive', message: `nothing was heard for ${seconds} s` })
    }
    if (now >= this.#pingAt) {
      this.#pingAt = now + this.#pingMs
      this.#number = (this.#number + 1) >>> 0
      this.#sentAt = now
      this.#events.ping(this.#number)
    }
    this.#arm()
  }
}
