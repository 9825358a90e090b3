// Token buckets by key with bounded memory: how often one source may do something.
import { fail } from '@bowline/contract/errors'
import type { Clock } from './clock.ts'

export interface Limiter {
  /** Takes tokens; false when there are not so many. @param cost default: one */
  take(key: string, cost?: number): boolean
  /** Puts a token back that was taken for something that does not count after all. */
  giveBack(key: string): void
  /** Tokens in the bucket of a key, fractions included. */
  left(key: string): number
  /** Whether there is a token left. */
  has(key: string): boolean
}

/** Keys kept at most: beyond it the buckets that have been refilled longest are forgotten. */
const MAX_KEYS = 50_000

/**
 * @param perSecond tokens that come back each second
 * @param burst tokens of a full bucket
 */
export function createLimiter(clock: Clock, perSecond: number, burst: number): Limiter {
  const buckets = new Map<string, { tokens: number; at: number }>()
  const filled = (key: string): { tokens: number; at: number } => {
    const now = clock.now()
    const { tokens, at } = buckets.get(key) ?? { tokens: burst, at: now }
    return { tokens: Math.min(burst, tokens + ((now - at) / 1_000) * perSecond), at: now }
  }
  return {
    left: (key) => filled(key).tokens,
    has: (key) => filled(key).tokens >= 1,
    giveBack(key) {
      const bucket = buckets.get(key)
      if (bucket) bucket.tokens += 1
    },
    take(key, cost = 1) {
      const bucket = filled(key)
      const granted = bucket.tokens >= cost
      if (granted) bucket.tokens -= cost
      // Re-inserting keeps the map in order of last use, so the first key is always the stalest.
      buckets.delete(key)
      buckets.set(key, bucket)
      if (buckets.size > MAX_KEYS) buckets.delete(String(buckets.keys().next().value))
      return granted
    },
  }
}

/**
 * Lets at most `count` tasks run at once; up to `queue` others wait in order.
 * @throws {BowlineError} UNAVAILABLE when the queue is full
 */
export function createSemaphore(count: number, queue: number): <T>(task: () => Promise<T>) => Promise<T> {
  let free = count
  const waiting: (() => void)[] = []
  return async (task) => {
    if (free > 0) free -= 1
    else if (waiting.length >= queue) fail('UNAVAILABLE', { what: 'too many such calls are under way' })
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
