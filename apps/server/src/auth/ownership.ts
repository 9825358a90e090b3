// Proof that the caller owns an account without a second factor, before the account gets its first one or changes more
// than itself: a stolen session alone must neither lock the owner out nor lead to other accounts.
import { BowlineError, fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Origin, UserActor } from '../context.ts'
import { type Account, getAccount } from '../users/service.ts'
import { type FreshProofDeps, proofEndsAt, requireFreshProof, signInOf } from './fresh-proofs.ts'
import { type AuthDeps, isCurrentPassword } from './service.ts'
import { signInTimes } from './sign-ins/service.ts'

/**
 * Refuses callers who neither have proven a credential lately nor know the password.
 * @param password current password; undefined if none was given
 * @throws {BowlineError} INVALID_INPUT naming `current_password`; FRESH_PROOF_REQUIRED for an account without a
 *   password; LOCKED_OUT
 */
export async function requireOwner(
  deps: AuthDeps,
  actor: UserActor,
  account: Account,
  password: string | undefined,
  origin: Origin,
): Promise<void> {
  const minutes = LIMITS.freshProofMinutes
  const { begun, proven } = await signInTimes(deps, actor.id, signInOf(actor))
  // For a provider that does not state when it asked for a credential the time of the sign-in counts: its people could
  // never add a factor otherwise.
  if ((proven || begun) > deps.clock.now() - minutes * 60_000) return
  if (account.passwordHash === undefined) fail('FRESH_PROOF_REQUIRED', { minutes })
  // A missing password is not counted as a guess.
  if (password && (await isCurrentPassword(deps, account, password, origin))) return
  const rule = password ? 'is wrong' : `is required: you proved who you are more than ${minutes} minutes ago`
  fail('INVALID_INPUT', { field: 'current_password', rule }, ['current_password'])
}

/** True for callers whom {@link requireRecentProof} lets pass. */
export async function hasRecentProof(deps: FreshProofDeps, actor: UserActor): Promise<boolean> {
  try {
    await requireRecentProof(deps, actor)
    return true
  } catch (error) {
    if (error instanceof BowlineError && error.code === 'FRESH_PROOF_REQUIRED') return false
    throw error
  }
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
