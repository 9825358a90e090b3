// Detects a dead client: after an interval of silence it is sent a keepalive request, and after several silent
// intervals it is declared dead. Any byte from it counts as a sign of life.
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
    this.#schedule(setup.intervalMs)
  }

  /** Bytes have arrived. */
  heard(): void {
    this.#heardAt = this.#setup.clock.monotonic()
  }

  stop(): void {
    this.#timer?.()
  }

  #schedule(delayMs: number): void {
    this.#timer = this.#setup.clock.after(delayMs, () => this.#check())
  }

  #check(): void {
    const { clock, intervalMs, misses } = this.#setup
    const silentMs = clock.monotonic() - this.#heardAt
    if (silentMs >= intervalMs * misses) return this.#setup.dead()
    if (silentMs < intervalMs) return this.#schedule(intervalMs - silentMs)
    this.#schedule(intervalMs)
    this.#setup.ask()
  }
}
