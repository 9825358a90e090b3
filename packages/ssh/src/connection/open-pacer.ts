// Rate limit for channel opens: a token bucket that returns how long the next one has to wait. Clients open channels in
// bursts (a browser behind `ssh -D`), so an open above the rate is delayed, never refused.

export class OpenPacer {
  readonly #perSecond: number
  readonly #now: () => number
  /** Negative: tokens reserved by opens that are waiting. */
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

  /** Reserves a token. @returns milliseconds until it is available, 0 for now */
  reserve(): number {
    const now = this.#now()
    this.#tokens = Math.min(this.#perSecond, this.#tokens + ((now - this.#at) / 1_000) * this.#perSecond)
    this.#at = now
    this.#tokens -= 1
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens / this.#perSecond) * 1_000)
  }
}
