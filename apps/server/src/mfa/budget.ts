// Budgets of guesses: each is counted before it is checked, and a right one is taken back. A subject's budget over all
// sources does not bind sources known to the account, so that strangers cannot lock its owner out.
import { createHash } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Origin } from '../context.ts'
import { sourceKey } from '../platform/network/address.ts'
import { noteFactorFailure } from '../users/activity.ts'
import type { MfaDeps } from './deps.ts'
import { type GuessKey, type GuessLimits, countGuess, refundGuess } from './guess-store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

interface Budget extends GuessLimits {
  /** Window of `pair`; the other limits are per hour. */
  readonly pairMs: number
}

/** Kinds of guesses. Each has a budget of its own: exhausting `recover`, which asks for no password, blocks nothing else. */
export type Scope = keyof typeof BUDGETS
const BUDGETS = {
  /** Second step of a sign-in: the password is known. */
  'sign-in': { pair: 5, pairMs: 5 * MINUTE_MS, source: 60, subject: 20 },
  /** Second factor of an SSH login: the key is proven. */
  ssh: { pair: 5, pairMs: 5 * MINUTE_MS, source: 60, subject: 20 },
  /** Codes of a signed-in person. */
  change: { pair: 5, pairMs: 5 * MINUTE_MS, source: 60, subject: 20 },
  renew: { pair: 10, pairMs: HOUR_MS, source: 60, subject: 20 },
  recover: { pair: 5, pairMs: HOUR_MS, source: 20, subject: 20 },
  'request-reset': { pair: 5, pairMs: HOUR_MS, source: 20, subject: 20 },
  reset: { pair: 5, pairMs: HOUR_MS, source: 20, subject: 20 },
} as const satisfies Record<string, Budget>

/** Largest integer of PostgreSQL. */
const UNLIMITED = 2_147_483_647

export interface Guess {
  readonly scope: Scope
  /** Key of the counter: the account's id, or the name as typed. */
  readonly subject: string
  /** Account whose known sources are exempt from the limit over all sources; '' for none. */
  readonly user: UserId | ''
}

/**
 * Counts a guess that is about to be checked.
 * @returns what takes a right guess back
 * @throws {BowlineError} TOO_MANY_REQUESTS
 */
export async function takeGuess(deps: MfaDeps, guess: Guess, origin: Origin): Promise<() => Promise<void>> {
  const now = deps.clock.now()
  const { pairMs, ...limits } = BUDGETS[guess.scope]
  const key: GuessKey = {
    scope: guess.scope,
    subject: createHash('sha256').update(guess.subject.toLowerCase()).digest(),
    source: sourceKey(origin.source),
    user: guess.user,
  }
  const source = deps.isExemptSource(origin.source) ? UNLIMITED : limits.source
  const times = { now: new Date(now), pairUntil: new Date(now + pairMs), until: new Date(now + HOUR_MS) }
  const refusedUntil = await countGuess(deps.db, key, { ...limits, source }, times)
  if (refusedUntil) {
    await noteFactorFailure(deps.db, now, { user: guess.user, kind: 'factor.guard', origin })
    fail('TOO_MANY_REQUESTS', { seconds: Math.max(1, Math.ceil((refusedUntil.getTime() - now) / 1_000)) })
  }
  return () => refundGuess(deps.db, key)
}
