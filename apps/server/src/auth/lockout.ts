// Lockout after failed sign-ins: pure arithmetic. password-check.ts decides with it and counts; store.ts keeps the
// counters, keyed by source and user, so that an attacker cannot lock a victim out elsewhere.

export interface Attempt {
  /** Consecutive failures, including this one. */
  readonly attempts: number
}

export interface Lockout {
  /** End of the lock in milliseconds since the epoch; 0: not locked. */
  readonly lockedUntil: number
  /** Time in milliseconds since the epoch at which the failures are forgotten. */
  readonly expiresAt: number
}

const MINUTE = 60_000

/**
 * Lockout caused by a failed attempt. Two are free; the n-th locks for 4^(n−3) minutes, at most `maximumMinutes`.
 * @param attempts consecutive failures, including this one
 * @param now milliseconds since the epoch
 */
export function lockoutAfter(attempts: number, maximumMinutes: number, now: number): Lockout {
  const minutes = Math.min(4 ** (attempts - 3), maximumMinutes)
  const remembered = Math.max(Math.trunc(Math.min(2.5 * minutes, maximumMinutes)), 2)
  const locked = maximumMinutes > 0 && attempts >= 3
  return {
    lockedUntil: locked ? Math.floor((now + minutes * MINUTE) / 1_000) * 1_000 : 0,
    expiresAt: now + remembered * MINUTE,
  }
}
