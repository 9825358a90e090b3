// Proof that the caller owns an account without a second factor, before the account gets its first one or changes more
// than itself: a stolen session alone must neither lock the owner out nor lead to other accounts.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Origin, UserActor } from '../context.ts'
import { type Account, getAccount } from '../users/service.ts'
import { type FreshProofDeps, proofEndsAt, requireFreshProof, signInOf } from './fresh-proofs.ts'
import { type AuthDeps, isCurrentPassword } from './service.ts'
import { signInTimes } from './sign-ins/service.ts'

/**
 * Refuses callers who neither have signed in lately nor know the password.
 * @param password current password; undefined if none was given
 * @throws {BowlineError} INVALID_INPUT naming `current_password`; LOCKED_OUT
 */
export async function requireOwner(
  deps: AuthDeps,
  actor: UserActor,
  account: Account,
  password: string | undefined,
  origin: Origin,
): Promise<void> {
  // A sign-in by a provider that asked for nothing is enough: people without a password get their first factor by it.
  const { begun } = await signInTimes(deps, actor.id, signInOf(actor))
  if (begun > deps.clock.now() - LIMITS.freshProofMinutes * 60_000) return
  // A missing password is not counted as a guess.
  if (password && (await isCurrentPassword(deps, account, password, origin))) return
  const rule = password ? 'is wrong' : `is required: you signed in more than ${LIMITS.freshProofMinutes} minutes ago`
  fail('INVALID_INPUT', { field: 'current_password', rule }, ['current_password'])
}

/**
 * Refuses callers who have proven lately neither their second factor nor, without one, their password. For changes that
 * reach beyond the caller's own account.
 * @throws {BowlineError} FRESH_PROOF_REQUIRED
 */
export async function requireRecentProof(deps: FreshProofDeps, actor: UserActor): Promise<void> {
  if ((await getAccount(deps.db, actor.id))?.mfaEnabled) return requireFreshProof(deps, actor)
  const now = deps.clock.now()
  const minutes = LIMITS.freshProofMinutes
  if ((await signInTimes(deps, actor.id, signInOf(actor))).proven > now - minutes * 60_000) return
  if ((await proofEndsAt(deps.db, actor)) < now) fail('FRESH_PROOF_REQUIRED', { minutes })
}
