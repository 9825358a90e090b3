// A token bucket: so many events per second, with one second's worth as a burst.

export class RateLimit {
  readonly #perSecond: number
  readonly #now: () => number
  #tokens: number
  #at: number

  /** @param now milliseconds of a monotonic clock */
  constructor(perSecond: number, now: () => number) {
    this.#perSecond = perSecond
    this.#now = now
    this.#tokens = perSecond
    this.#at = now()
  }

  /** Counts one event; false when it comes too early. */
  allow(): boolean {
    const now = this.#now()
    this.#tokens = Math.min(this.#perSecond, this.#tokens + ((now - this.#at) / 1_000) * this.#perSecond)
    this.#at = now
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}
