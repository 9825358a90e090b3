// Notices a client that has gone without a word: after so much silence it is asked for a sign of life, and after so
// many silent intervals it is given up. Any byte from it counts as life.
import type { Clock, Timer } from '../clock.ts'

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
  #timer: Timer | undefined

  /** Starts the first interval. */
  constructor(setup: KeepaliveSetup) {
    this.#setup = setup
    this.#heardAt = setup.clock.now()
    this.#plan(setup.intervalMs)
  }

  /** Something arrived. */
  heard(): void {
    this.#heardAt = this.#setup.clock.now()
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #plan(delayMs: number): void {
    this.#timer = this.#setup.clock.after(delayMs, () => this.#look())
  }

  #look(): void {
    const { clock, intervalMs, misses } = this.#setup
    const silentMs = clock.now() - this.#heardAt
    if (silentMs >= intervalMs * misses) return this.#setup.dead()
    if (silentMs < intervalMs) return this.#plan(intervalMs - silentMs)
    this.#plan(intervalMs)
    this.#setup.ask()
  }
}
