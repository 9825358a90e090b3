// Rows of sign-in that have served their time.
import { LIMITS } from '@bowline/contract/limits'
import { deleteExpiredCodes } from './device-codes/store.ts'
import type { AuthDeps } from './service.ts'
import { deleteOldProviderSessions, deleteOldSignIns } from './sign-ins/store.ts'
import { deleteExpired } from './store.ts'

/** Age at which a sign-in by a provider cannot be finished any more: longer than links, tokens and second steps live. */
const UNFINISHED_HOURS = 2

/** Removes expired refresh tokens, failures, ended sign-ins, known sources and account events. */
export async function forgetExpired(deps: AuthDeps): Promise<void> {
  const now = deps.clock.now()
  const daysAgo = (days: number): Date => new Date(now - days * 86_400_000)
  const olderThan = { sources: daysAgo(LIMITS.knownSourceDays), events: daysAgo(LIMITS.accountEventDays) }
  await deleteExpired(deps.db, new Date(now), olderThan)
  await deleteExpiredCodes(deps.db, new Date(now))
  const unfinished = new Date(now - UNFINISHED_HOURS * 3_600_000)
  await deleteOldProviderSessions(deps.db, { ended: daysAgo(1), unfinished })
  await deleteOldSignIns(deps.db, new Date(now), daysAgo(LIMITS.deviceCookieDays))
}
