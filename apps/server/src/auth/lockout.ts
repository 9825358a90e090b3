// Lockout after failed sign-ins: pure arithmetic; the rows are kept by auth/store.ts.
// Keyed by source and user, so that an attacker cannot lock a victim out elsewhere.

export interface Attempt {
  /** Failures in a row, this one included. */
  readonly attempts: number
}

export interface Lockout {
  /** Milliseconds since the epoch at which the lock ends; 0: not locked. */
  readonly lockedUntil: number
  /** Milliseconds since the epoch at which the failures are forgotten. */
  readonly expiresAt: number
}

const MINUTE = 60_000

/**
 * What a failed attempt leads to. Two are free; the n-th locks for 4^(n−3) minutes, at most `maximumMinutes`.
 * @param attempts failures in a row, this one included
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
