// Flag of accounts with a second factor: set from what exists, by everything that adds or removes a factor.
import type { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { endPendingSignIns } from '../auth/pending-sign-ins.ts'
import type { Schema } from '../db/schema.ts'
import { setMfaEnabled } from '../users/factors.ts'
import { deleteFactors, deletePasskeysOf, hasPasskey, listAuthenticators } from './store.ts'

/**
 * Sets `mfa_enabled` of an account from the factors that it has, and ends its sign-ins that wait for one. Without a
 * factor its recovery codes go too: they must not sign in any more.
 * @param db system connection, inside a transaction that holds the account
 * @returns whether it has a factor
 */
export async function refreshMfaFlag(db: Kysely<Schema>, user: UserId): Promise<boolean> {
  const isEnabled = (await listAuthenticators(db, user)).length > 0 || (await hasPasskey(db, user))
  if (!isEnabled) await deleteFactors(db, user)
  await setMfaEnabled(db, user, isEnabled)
  await endPendingSignIns(db, user)
  return isEnabled
}

/** Removes every authenticator and the recovery codes of an account. @param db as for {@link refreshMfaFlag} */
export async function removeAuthenticators(db: Kysely<Schema>, user: UserId): Promise<void> {
  await deleteFactors(db, user)
  await refreshMfaFlag(db, user)
}

/** Removes every factor of an account, passkeys too. @param db as for {@link refreshMfaFlag} */
export async function removeEveryFactor(db: Kysely<Schema>, user: UserId): Promise<void> {
  await deleteFactors(db, user)
  await deletePasskeysOf(db, user)
  await refreshMfaFlag(db, user)
}
