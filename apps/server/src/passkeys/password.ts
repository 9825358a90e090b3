// Accounts without a password: it goes once other ways in suffice, and comes back by a fresh proof.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { requireFreshProof } from '../auth/fresh-proofs.ts'
import { endPendingSignIns } from '../auth/pending-sign-ins.ts'
import type { Origin, UserActor } from '../context.ts'
import { replacePassword } from '../users/factors.ts'
import { type Account, getAccount, lockAccount, requireOtherThanNames } from '../users/service.ts'
import { addNotice } from '../mails/notices.ts'
import type { PasskeyDeps } from './use.ts'
import { requireWaysIn } from './ways-in.ts'

/**
 * Removes the caller's password and ends every session.
 * @throws {BowlineError} FRESH_PROOF_REQUIRED; TOO_FEW_WAYS_IN; NOT_FOUND
 */
export async function removePassword(deps: PasskeyDeps, actor: UserActor, origin: Origin): Promise<void> {
  await requireFreshProof(deps, actor)
  await replace(deps, actor, undefined, origin, () => undefined)
}

/**
 * Sets a password for the caller's account, which has none, and ends every session.
 * @throws {BowlineError} PASSWORD_EXISTS; FRESH_PROOF_REQUIRED; INVALID_INPUT for a password that equals a name of the
 *   account, and for accounts that sign in at a provider only; NOT_FOUND
 */
export async function setOwnPassword(
  deps: PasskeyDeps,
  actor: UserActor,
  password: string,
  origin: Origin,
): Promise<void> {
  const account = (await getAccount(deps.db, actor.id)) ?? fail('NOT_FOUND', { what: 'The user' })
  requireNone(account)
  await requireFreshProof(deps, actor)
  requireOtherThanNames(password, [account.username, account.email, account.recoveryEmail])
  await replace(deps, actor, await deps.passwords.hash(password, origin.source), origin, requireNone)
}

/** An account without a factor could be taken over by a stolen token alone. */
function requireNone(account: Account): void {
  if (account.passwordHash !== undefined) fail('PASSWORD_EXISTS')
  // No sign-in would accept it: who leaves at the provider shall have no other way in.
  if (!account.authMethods.includes('local')) {
    const rule =
      'cannot be set: the account signs in at an identity provider, unless an administrator gives it a password'
    fail('INVALID_INPUT', { field: 'password', rule }, ['password'])
  }
  if (!account.mfaEnabled) fail('FRESH_PROOF_REQUIRED', { minutes: LIMITS.freshProofMinutes })
}

async function replace(
  deps: PasskeyDeps,
  actor: UserActor,
  passwordHash: string | undefined,
  origin: Origin,
  check: (account: Account) => void,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const account = (await lockAccount(db, actor.id)) ?? fail('NOT_FOUND', { what: 'The user' })
    check(account)
    await requireWaysIn(db, { id: account.id, passwordHash })
    await replacePassword(db, deps, account, passwordHash, origin)
    await endPendingSignIns(db, account.id)
    const event = passwordHash === undefined ? 'password-removed' : 'password-changed'
    await addNotice(db, deps, account, { event, origin })
  })
}
