// Ways to sign in other than the password. Each of them must be enough alone: a code of an authenticator app is not.
import { fail } from '@bowline/contract/errors'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { Account } from '../users/service.ts'
import { listOf } from './store.ts'

/** Ways that an account without a password needs, so that the loss of one does not lock its owner out. */
export const WAYS_NEEDED = 2

/** Number of ways in beside the password. Every passkey verifies its user, so each is one. */
export async function countWaysIn(db: Kysely<Schema>, user: UserId): Promise<number> {
  return (await listOf(db, user)).length
}

/**
 * Refuses what would leave an account without a password too few ways in.
 * @param db inside the transaction that has made the change and holds the account's lock
 * @param account as it is after the change
 * @throws {BowlineError} TOO_FEW_WAYS_IN
 */
export async function requireWaysIn(db: Kysely<Schema>, account: Pick<Account, 'id' | 'passwordHash'>): Promise<void> {
  if (account.passwordHash !== undefined) return
  const left = await countWaysIn(db, account.id)
  if (left < WAYS_NEEDED) fail('TOO_FEW_WAYS_IN', { left: ['none', 'only one'][left] ?? left })
}
