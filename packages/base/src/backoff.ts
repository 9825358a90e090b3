// How long to wait before the next attempt: exponential backoff with jitter, so that clients that failed together do not
// come back together (a thundering herd).

export interface BackoffOptions {
  /** Bound of the first wait, in milliseconds. */
  readonly baseMs: number
  /** No bound exceeds this, in milliseconds. */
  readonly capMs: number
  /** Share of the bound that is always waited, 0 to 1. Default 0: full jitter, which spreads clients best. */
  readonly leastShare?: number
  /** Uniform from 0 (inclusive) to 1 (exclusive). */
  readonly random?: () => number
}

/** Waits drawn uniformly from below a bound that doubles with each failure, up to a cap. */
export class Backoff {
  readonly #options: Required<BackoffOptions>
  #failures = 0

  constructor(options: BackoffOptions) {
    this.#options = { leastShare: 0, random: Math.random, ...options }
  }

  /** Milliseconds to wait after one more failure. */
  next(): number {
    const { baseMs, capMs, leastShare, random } = this.#options
    const boundMs = Math.min(capMs, baseMs * 2 ** this.#failures)
    this.#failures += 1
    return boundMs * (leastShare + (1 - leastShare) * random())
  }

  /** Call after a success: the next wait is short again. */
  reset(): void {
    this.#failures = 0
  }
}
