// What may be repeated only so often, as a token bucket over all nodes: in Redis where there is one that answers,
// otherwise in the database, which is never away for longer than logins are.
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { Redis } from '../platform/redis/redis.ts'
import { hashOf } from '../platform/secrets/hash.ts'
import { refundToken, takeToken, timeOfFullBucket } from './rate-store.ts'

export interface Rate {
  /** Separates rates of different things. Letters and `-`. */
  readonly name: string
  readonly perSecond: number
  /** At once, after a pause. */
  readonly burst: number
}

/** @see {@link RateLimiter} of packages/base for one process. Keys are stored as hashes. */
export interface Rates {
  /** Takes a token if there is one. @returns whether there was */
  take(rate: Rate, key: string): Promise<boolean>
  /** Returns a token that was taken for something that turned out not to count. */
  refund(rate: Rate, key: string): Promise<void>
  /** Whether a token is left. */
  has(rate: Rate, key: string): Promise<boolean>
}

/** Milliseconds in which one token comes back. */
const tokenMs = ({ perSecond }: Rate): number => 1_000 / perSecond

/** Counts in the database. @param db system connection */
export function databaseRates(db: Kysely<Schema>, clock: Clock): Rates {
  const row = ({ name }: Rate, key: string) => ({ name, key: hashOf(key) })
  return {
    take: (rate, key) => takeToken(db, row(rate, key), { now: clock.now(), tokenMs: tokenMs(rate), burst: rate.burst }),
    refund: (rate, key) => refundToken(db, row(rate, key), tokenMs(rate)),
    async has(rate, key) {
      const fullAt = await timeOfFullBucket(db, row(rate, key))
      return fullAt - clock.now() <= (rate.burst - 1) * tokenMs(rate)
    },
  }
}

/** Counts in Redis; rejects while it is away. */
export function redisRates(redis: Pick<Redis, 'takeToken' | 'refundToken' | 'hasToken'>): Rates {
  const nameOf = ({ name }: Rate, key: string): string => `${name}:${hashOf(key).toString('base64url')}`
  return {
    take: (rate, key) => redis.takeToken(nameOf(rate, key), tokenMs(rate), rate.burst),
    refund: (rate, key) => redis.refundToken(nameOf(rate, key), tokenMs(rate)),
    has: (rate, key) => redis.hasToken(nameOf(rate, key), tokenMs(rate), rate.burst),
  }
}

/** Counts with `first`, and with `second` what `first` fails to count. */
export function ratesWithFallback(first: Rates, second: Rates): Rates {
  return {
    take: (rate, key) => first.take(rate, key).catch(() => second.take(rate, key)),
    refund: (rate, key) => first.refund(rate, key).catch(() => second.refund(rate, key)),
    has: (rate, key) => first.has(rate, key).catch(() => second.has(rate, key)),
  }
}
