// New passwords by the link of a recovery mail, and the deletion of one's own account.
import { fail } from '@bowline/contract/errors'
import { UserId } from '@bowline/contract/schemas/common'
import { requireRecentProof } from '../auth/ownership.ts'
import { endBrowserSessionsOf } from '../auth/service.ts'
import { requireLocalSignIn } from '../auth/ways-in.ts'
import type { Origin, UserActor } from '../context.ts'
import { endEveryMembership } from '../members/service.ts'
import { type PurgeDeps, purgeClosedOf } from '../namespaces/closing.ts'
import { useToken } from '../users/account-tokens.ts'
import { isLastAdministrator } from '../users/administrators.ts'
import { recoverPassword, removeAccount } from '../users/service.ts'
import type { RegistrationDeps } from './service.ts'

/**
 * Sets a new password by the token of a recovery mail. Every session of the account ends, and sign-ins that wait for a
 * second factor do; the second factor itself stays.
 * @throws {BowlineError} NOT_FOUND for a token that is wrong, used, expired or of another account; INVALID_INPUT for a
 *   password that equals a name of the account
 */
export async function resetPassword(
  { auth, mails }: Pick<RegistrationDeps, 'auth' | 'mails'>,
  uid: string,
  { token, password }: { readonly token: string; readonly password: string },
  origin: Origin,
): Promise<void> {
  await requireLocalSignIn(auth)
  const { clock, passwords } = auth
  const deps = { clock, mails, endSessions: endBrowserSessionsOf }
  const wanted = { password, passwordHash: await passwords.hash(password, origin.source) }
  // A refusal is rolled back: the link still works for another password.
  await auth.db.transaction().execute(async (db) => {
    const user = await useToken(db, clock, 'recovery', token)
    const isDone = user === uid && (await recoverPassword(db, deps, UserId.parse(user), wanted, origin))
    if (!isDone) fail('NOT_FOUND', { what: 'The link' })
  })
}

/**
 * Deletes the caller's account with its memberships; every session and token of it ends. Namespaces that the person has
 * deleted go with it at once.
 * @throws {BowlineError} FRESH_PROOF_REQUIRED; LAST_ADMINISTRATOR; OWNER_REFUSED naming the namespaces that the person owns
 */
export async function removeOwnAccount(
  { auth }: Pick<RegistrationDeps, 'auth'>,
  { contextOf, removal }: Pick<PurgeDeps, 'contextOf' | 'removal'>,
  actor: UserActor,
  origin: Origin,
): Promise<void> {
  await requireRecentProof(auth, actor)
  const { tenants } = await auth.db.transaction().execute(async (db) => {
    // Before the account itself is locked, as all who lock administrators do.
    const isLast = await isLastAdministrator(db, actor.id)
    return removeAccount(
      db,
      auth.clock,
      actor.id,
      async (user) => {
        if (isLast) fail('LAST_ADMINISTRATOR')
        await purgeClosedOf(db, { contextOf, removal }, user)
        return endEveryMembership(db, contextOf, user)
      },
      origin,
    )
  })
  // Sessions that the person's SSH keys have opened end at once.
  for (const tenant of tenants) contextOf(tenant).emit({ type: 'member.removed', id: actor.id })
}
