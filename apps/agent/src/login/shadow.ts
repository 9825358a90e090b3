// Evaluates a row of shadow(5) on a given day. Pure; order and comparisons are those of Linux-PAM's pam_unix.
import type { ShadowEntry } from '../native/accounts.ts'

const DAY_MS = 86_400_000

/** Days since 1970-01-01, as shadow(5) counts. */
export function dayOf(epochMs: number): number {
  return Math.floor(epochMs / DAY_MS)
}

/** Whether the account itself has expired; applies to every kind of login. */
export function accountExpired(entry: ShadowEntry, today: number): boolean {
  return entry.expiresDay !== -1 && today >= entry.expiresDay
}

/** Whether the password has expired: changed too long ago, or to be changed at the next login. */
export function passwordExpired(entry: ShadowEntry, today: number): boolean {
  if (entry.changedDay === 0) return true
  if (entry.changedDay === -1 || entry.maximumDays === -1) return false
  return today - entry.changedDay > entry.maximumDays
}

/** Classifies the hash field before any password is checked. */
export function hashState(hash: string): 'usable' | 'locked' | 'no-password' {
  if (hash === '') return 'no-password'
  // A leading `!` locks the password stored after it; `*`, `!!` and the like were never one.
  return hash.startsWith('!') || hash.startsWith('*') ? 'locked' : 'usable'
}
