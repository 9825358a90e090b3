// Fresh proofs: sensitive changes ask people who have a second factor to have used it within the last minutes, so that
// a stolen session alone cannot take an account over. A proof belongs to one sign-in.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { UserActor } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { getAccount } from '../users/service.ts'
import { findProof, saveProof } from './second-step-store.ts'

export interface FreshProofDeps {
  /** System connection. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
}

/** Id of the sign-in that a token belongs to: the family of a browser session, or the login. */
export function signInOf({ family, login }: Pick<UserActor, 'family' | 'login'>): string {
  return family ?? login ?? ''
}

/** Records that the person of a sign-in has just used a second factor. @param signIn as {@link signInOf} has it */
export async function noteFreshProof(deps: FreshProofDeps, user: UserActor['id'], signIn: string): Promise<void> {
  const at = new Date(deps.clock.now())
  await saveProof(deps.db, { sign_in: signIn, user_id: user, at })
}

/**
 * Refuses people who have a second factor and have not used it lately in this sign-in. Others pass.
 * @throws {BowlineError} FRESH_PROOF_REQUIRED
 */
export async function requireFreshProof(
  { db, clock }: FreshProofDeps,
  actor: Pick<UserActor, 'id' | 'family' | 'login'>,
): Promise<void> {
  const account = await getAccount(db, actor.id)
  if (!account?.mfaEnabled) return
  if ((await proofEndsAt(db, actor)) < clock.now()) {
    fail('FRESH_PROOF_REQUIRED', { minutes: LIMITS.freshProofMinutes })
  }
}

/** End of the last proof of a sign-in, in milliseconds since the epoch; 0 without one. */
export async function proofEndsAt(
  db: Kysely<Schema>,
  actor: Pick<UserActor, 'id' | 'family' | 'login'>,
): Promise<number> {
  const at = await findProof(db, signInOf(actor), actor.id)
  return at ? at.getTime() + LIMITS.freshProofMinutes * 60_000 : 0
}
