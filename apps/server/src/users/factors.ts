// Protection of an account: its password, and whether that alone is not enough.
import type { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Origin } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { noteAccountEvent } from './activity.ts'
import type { Account, SessionEnding } from './service.ts'
import { updateUser } from './store.ts'

/** Stores whether sign-ins by password need a second factor. @param db inside the caller's transaction */
export async function setMfaEnabled(db: Kysely<Schema>, id: UserId, isEnabled: boolean): Promise<void> {
  await updateUser(db, id, { mfa_enabled: isEnabled })
}

/**
 * Replaces or removes the password of an account whose owner has proven a second factor, and ends every token and
 * browser session.
 * @param db system connection, inside the caller's transaction, which holds the account's lock
 * @param passwordHash as PasswordHasher made it; undefined removes the password
 */
export async function replacePassword(
  db: Kysely<Schema>,
  { clock, endSessions }: SessionEnding,
  account: Account,
  passwordHash: string | undefined,
  origin: Origin,
): Promise<void> {
  await updateUser(db, account.id, { password_hash: passwordHash ?? null, token_epoch: account.tokenEpoch + 1 })
  await endSessions(db, account.id)
  const kind = passwordHash === undefined ? 'password.remove' : 'password.change'
  await noteAccountEvent(db, clock.now(), { user: account.id, kind, origin })
}
