// Notices a client that has gone without a word: after so much silence it is asked for a sign of life, and after so
// many silent intervals it is given up. Any byte from it counts as life.
import type { Clock } from '@bowline/base/clock'

export interface KeepaliveSetup {
  readonly intervalMs: number
  /** Silent intervals after which the client is dead. */
  readonly misses: number
  readonly clock: Clock
  ask(): void
  dead(): void
}

export class Keepalive {
  readonly #setup: KeepaliveSetup
  #heardAt: number
  #timer: (() => void) | undefined

  /** Starts the first interval. */
  constructor(setup: KeepaliveSetup) {
    this.#setup = setup
    this.#heardAt = setup.clock.monotonic()
    this.#plan(setup.intervalMs)
  }

  /** Something arrived. */
  heard(): void {
    this.#heardAt = this.#setup.clock.monotonic()
  }

  stop(): void {
    this.#timer?.()
  }

  #plan(delayMs: number): void {
    this.#timer = this.#setup.clock.after(delayMs, () => this.#look())
  }

  #look(): void {
    const { clock, intervalMs, misses } = this.#setup
    const silentMs = clock.monotonic() - this.#heardAt
    if (silentMs >= intervalMs * misses) return this.#setup.dead()
    if (silentMs < intervalMs) return this.#plan(intervalMs - silentMs)
    this.#plan(intervalMs)
    this.#setup.ask()
  }
}
