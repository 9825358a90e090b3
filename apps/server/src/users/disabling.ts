// Accounts that administrators of the server disable for a while: nobody signs in to them, and everything that they could
// do pauses. What depends on an account looks at its status; nothing else of it changes, so that enabling restores it.
import { fail } from '@bowline/contract/errors'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { endTokensOf } from './account-tokens.ts'
import { noteAccountEvent } from './activity.ts'
import { type Administrator, lockForAdministration } from './administrators.ts'
import type { SessionEnding } from './service.ts'
import { updateUser } from './store.ts'

/**
 * Disables an account and ends its tokens, browser sessions, and mailed links and codes.
 * @param db system connection, in a transaction
 * @returns false when it is disabled already
 * @throws {BowlineError} as {@link lockForAdministration}; ACCOUNT_UNFINISHED
 */
export async function disableAccount(
  db: Kysely<Schema>,
  { clock, endSessions }: SessionEnding,
  by: Administrator,
  id: UserId,
): Promise<boolean> {
  const row = await lockForAdministration(db, by, id, true)
  if (row.status === 'disabled') return false
  if (row.status !== 'confirmed') fail('ACCOUNT_UNFINISHED')
  const now = clock.now()
  await updateUser(db, id, { status: 'disabled', disabled_at: new Date(now), token_epoch: row.token_epoch + 1 })
  await endSessions(db, id)
  // The database ends mailed codes of resets and of linked identities with the status.
  await endTokensOf(db, id)
  await noteAccountEvent(db, now, { user: id, kind: 'account.disable', origin: by.origin })
  return true
}

/**
 * Enables a disabled account. Its sign-ins do not come back.
 * @param db system connection, in a transaction
 * @returns false when it is not disabled
 * @throws {BowlineError} as {@link lockForAdministration}
 */
export async function enableAccount(
  db: Kysely<Schema>,
  { clock }: Pick<SessionEnding, 'clock'>,
  by: Administrator,
  id: UserId,
): Promise<boolean> {
  const row = await lockForAdministration(db, by, id, false)
  if (row.status !== 'disabled') return false
  await updateUser(db, id, { status: 'confirmed', disabled_at: null })
  await noteAccountEvent(db, clock.now(), { user: id, kind: 'account.enable', origin: by.origin })
  return true
}

/**
 * Ends every token and browser session of an account, by an administrator.
 * @param db system connection, in a transaction
 * @throws {BowlineError} as {@link lockForAdministration}
 */
export async function endSignInsOf(
  db: Kysely<Schema>,
  { clock, endSessions }: SessionEnding,
  by: Administrator,
  id: UserId,
): Promise<void> {
  const row = await lockForAdministration(db, by, id, false)
  await updateUser(db, id, { token_epoch: row.token_epoch + 1 })
  await endSessions(db, id)
  await noteAccountEvent(db, clock.now(), { user: id, kind: 'sign-out.forced', origin: by.origin })
}
