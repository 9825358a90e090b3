// Token buckets by key with bounded memory: how often one source may do something.
import type { Clock } from './clock.ts'

export interface RateLimiterOptions {
  /** Tokens that are refilled per second. */
  readonly perSecond: number
  /** Tokens of a full bucket. */
  readonly burst: number
}

/** Keys kept at most; beyond it the least recently used bucket is evicted. */
const MAX_KEYS = 50_000

interface Bucket {
  tokens: number
  /** Monotonic milliseconds of the last refill. */
  at: number
}

export class RateLimiter {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #options: RateLimiterOptions
  /** In order of last use. */
  readonly #buckets = new Map<string, Bucket>()

  constructor(clock: Pick<Clock, 'monotonic'>, options: RateLimiterOptions) {
    this.#clock = clock
    this.#options = options
  }

  /** Takes tokens if there are enough. @param cost in tokens @returns whether they were taken */
  take(key: string, cost = 1): boolean {
    const bucket = this.#refilled(key)
    const granted = bucket.tokens >= cost
    if (granted) bucket.tokens -= cost
    // Re-inserting keeps the map in order of last use.
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > MAX_KEYS) this.#buckets.delete(String(this.#buckets.keys().next().value))
    return granted
  }

  /** Returns a token that was taken for something that turned out not to count. */
  refund(key: string): void {
    const bucket = this.#buckets.get(key)
    if (bucket) bucket.tokens += 1
  }

  /** Tokens in the bucket of a key, fractions included. */
  left(key: string): number {
    return this.#refilled(key).tokens
  }

  /** Whether a token is left. */
  has(key: string): boolean {
    return this.left(key) >= 1
  }

  #refilled(key: string): Bucket {
    const { perSecond, burst } = this.#options
    const now = this.#clock.monotonic()
    const { tokens, at } = this.#buckets.get(key) ?? { tokens: burst, at: now }
    return { tokens: Math.min(burst, tokens + ((now - at) / 1_000) * perSecond), at: now }
  }
}
