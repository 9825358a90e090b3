// Password verification. Failures are counted by the typed name, per source and over all sources, alike for known and
// unknown accounts: neither the response nor the work behind it reveals which accounts exist.
import { createHash } from 'node:crypto'
import { BowlineError } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Kysely } from 'kysely'
import type { Clock } from '@bowline/base/clock'
import type { Origin } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { sourceKey } from '../platform/network/address.ts'
import type { Log } from '../platform/log.ts'
import { noteAccountEvent } from '../users/activity.ts'
import { type Account, highestBcryptCost, replaceHash } from '../users/service.ts'
import { lockoutAfter } from './lockout.ts'
import type { PasswordHasher } from './password-hashes/passwords.ts'
import { EVERYWHERE, clearFailures, countFailure, findLock, saveKnownSource, saveLockout } from './store.ts'

const HOUR_MS = 3_600_000

export interface GuessDeps {
  /** System connection. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  readonly passwords: PasswordHasher
  readonly maximumLockoutMinutes: number
}

export interface Guess {
  /** Username or e-mail address as typed. */
  readonly identifier: string
  /** The named account, if it may sign in by password. */
  readonly account: Account | undefined
  /** Hash of the password of a registration with that name, if no account has it. */
  readonly pendingHash?: string | undefined
  readonly password: string
}

/** Key of the failure counters: each name of an account has its own. */
export function identifierKey(identifier: string): Buffer {
  return createHash('sha256').update(identifier.toLowerCase()).digest()
}

/**
 * Verifies a guess and counts it if wrong. Success clears the failures of the source, not those of all sources, and replaces a
 * hash that came from another server by one of ours.
 * @returns true for the right password
 * @throws {BowlineError} LOCKED_OUT (detail `lockedUntil`: Unix seconds), whatever the password
 */
export async function verifyPassword(deps: GuessDeps, guess: Guess, origin: Origin): Promise<boolean> {
  const { db } = deps
  const now = deps.clock.now()
  const by = {
    source: sourceKey(origin.source),
    identifier: identifierKey(guess.identifier),
    user: guess.account?.id ?? '',
  } as const
  await refuseWhileLocked(deps, by)
  const stored = guess.account?.passwordHash ?? guess.pendingHash
  // Asked for every name: the work is the same.
  const bcryptCost = await highestBcryptCost(db)
  const { source } = origin
  const { matches, replacement } = await deps.passwords.check(stored, guess.password, { source, bcryptCost })
  // Concurrent guesses all pass the first check; a lock caused by some of them applies to the rest.
  await refuseWhileLocked(deps, by)
  if (matches) {
    const { user, identifier } = by
    await db.transaction().execute(async (inner) => {
      // A password that was changed meanwhile has another hash, and keeps it.
      if (user !== '' && stored !== undefined && replacement !== undefined)
        await replaceHash(inner, user, stored, replacement)
      await clearFailures(inner, by.source, identifier)
      // With a second factor the source becomes known when that has been used: the password alone must not exempt
      // anybody from the limit of guesses over all sources.
      if (user !== '' && !guess.account?.mfaEnabled) await saveKnownSource(inner, user, by.source, new Date(now))
    })
    return true
  }
  const lockedUntil = await db.transaction().execute((inner) => noteFailure({ ...deps, db: inner }, by, origin))
  if (lockedUntil) throw lockedOut(lockedUntil)
  return false
}

interface FailureKey {
  readonly source: string
  readonly identifier: Buffer
  /** '' when no account has the name. */
  readonly user: Account['id'] | ''
}

async function refuseWhileLocked(deps: GuessDeps, by: FailureKey): Promise<void> {
  const lockedUntil = await findLock(deps.db, by, deps.clock.now())
  if (lockedUntil) throw lockedOut(lockedUntil)
}

/** @returns end of the source's lock in milliseconds since the epoch; 0 without one */
async function noteFailure(deps: GuessDeps, by: FailureKey, origin: Origin): Promise<number> {
  const { db, maximumLockoutMinutes: maximum } = deps
  const { source, identifier, user } = by
  const now = deps.clock.now()
  const { expiresAt: rememberedUntil } = lockoutAfter(1, maximum, now)
  const attempts = await countFailure(db, source, identifier, { now, rememberedUntil })
  const lockout = lockoutAfter(attempts, maximum, now)
  await saveLockout(db, source, identifier, { attempts, ...lockout })
  const everywhere = await countFailure(db, EVERYWHERE, identifier, { now, rememberedUntil: now + HOUR_MS })
  const reachesGlobalLimit = maximum > 0 && everywhere === LIMITS.failuresPerHour
  if (reachesGlobalLimit) await saveLockout(db, EVERYWHERE, identifier, { attempts: everywhere })
  deps.log.warn('auth.failed', { user, source, attempts })
  await noteAccountEvent(db, now, { user, kind: 'sign-in.fail', origin })
  if (lockout.lockedUntil) await noteAccountEvent(db, now, { user, kind: 'sign-in.lock', origin })
  if (reachesGlobalLimit)
    await noteAccountEvent(db, now, { user, kind: 'sign-in.guard', origin: { source: '', userAgent: '' } })
  if (lockout.lockedUntil) return lockout.lockedUntil
  // Concurrent guesses from many sources beyond the limit learn nothing.
  return maximum > 0 && everywhere > LIMITS.failuresPerHour ? findLock(db, by, now) : 0
}

function lockedOut(lockedUntil: number): BowlineError {
  return new BowlineError('LOCKED_OUT', { lockedUntil: Math.floor(lockedUntil / 1_000) })
}

/** Disabled accounts answer like unknown names, also to the right password. */
export function mayTryPassword({ status, authMethods }: Account): boolean {
  return (status === 'confirmed' || status === 'not-confirmed') && authMethods.includes('local')
}
