// Spreads channel opens over time: a token bucket that says how long the next one has to wait. Clients open channels in
// bursts (a browser behind `ssh -D`), so an open that comes too early is late, never refused.

export class OpenPacer {
  readonly #perSecond: number
  readonly #now: () => number
  /** Below zero: what has been promised to opens that are waiting. */
  #tokens: number
  #at: number

  /**
   * @param perSecond sustained rate; one second's worth may come at once
   * @param now milliseconds of a monotonic clock
   */
  constructor(perSecond: number, now: () => number) {
    this.#perSecond = perSecond
    this.#now = now
    this.#tokens = perSecond
    this.#at = now()
  }

  /** Reserves the next turn. @returns milliseconds until it, 0 for now */
  reserve(): number {
    const now = this.#now()
    this.#tokens = Math.min(this.#perSecond, this.#tokens + ((now - this.#at) / 1_000) * this.#perSecond)
    this.#at = now
    this.#tokens -= 1
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens / this.#perSecond) * 1_000)
  }
}
