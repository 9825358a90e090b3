// Second step of a sign-in, and sign-in with a recovery code.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { type SigningIn, findPendingSignIn, linkWaiting, takePendingSignIn } from '../auth/pending-sign-ins.ts'
import { noteProvenSignIn } from '../auth/service.ts'
import { requireLocalSignIn } from '../auth/ways-in.ts'
import type { Origin } from '../context.ts'
import { noteFactorFailure } from '../users/activity.ts'
import { type Account, findAccount } from '../users/service.ts'
import { takeGuess } from './budget.ts'
import type { MfaDeps } from './deps.ts'
import { type TypedCode, requireOneCode, useRecoveryCode, verifyFactor } from './verify.ts'

/**
 * Checks the code of a waiting sign-in and ends the wait. A wrong code leaves the sign-in waiting.
 * @param token value of `X-MFA-Token`
 * @throws {BowlineError} SECOND_FACTOR_EXPIRED for an unknown, expired or used token; SECOND_FACTOR_WRONG;
 *   TOO_MANY_REQUESTS; INVALID_INPUT unless exactly one code is given
 */
export async function passSecondStep(
  deps: MfaDeps,
  token: string,
  typed: TypedCode,
  origin: Origin,
): Promise<SigningIn> {
  requireOneCode(typed)
  const account = (await findPendingSignIn(deps, token)) ?? fail('SECOND_FACTOR_EXPIRED')
  if (!(await verifyFactor(deps, account, typed, { scope: 'sign-in', origin }))) fail('SECOND_FACTOR_WRONG')
  const taken = (await takePendingSignIn(deps.db, token)) ?? fail('SECOND_FACTOR_EXPIRED')
  const linked = (await linkWaiting(deps, taken, account, origin)) ?? fail('SECOND_FACTOR_EXPIRED')
  await noteProvenSignIn(deps, linked, origin)
  return linked
}

/**
 * Signs in with a recovery code alone. Unknown names and wrong codes cost the same work and get the same answer.
 * @returns the account, and the time in Unix seconds until which the code still switches the second factor off
 * @throws {BowlineError} LOCAL_SIGN_IN_DISABLED; CODE_REFUSED; TOO_MANY_REQUESTS
 */
export async function recover(
  deps: MfaDeps,
  { identifier, recovery_code: code }: { readonly identifier: string; readonly recovery_code: string },
  origin: Origin,
): Promise<{ readonly account: Account; readonly expiresAt: number }> {
  await requireLocalSignIn(deps)
  const named = await findAccount(deps.db, identifier)
  const isOpen = named?.status === 'confirmed' && named.mfaEnabled && named.authMethods.includes('local')
  const account = isOpen ? named : undefined
  const user = account?.id ?? ''
  const takeBack = await takeGuess(deps, { scope: 'recover', subject: identifier, user }, origin)
  const now = deps.clock.now()
  if (!(await useRecoveryCode(deps, account, code, origin)) || !account) {
    await noteFactorFailure(deps.db, now, { user, kind: 'factor.fail', origin })
    return fail('CODE_REFUSED')
  }
  await takeBack()
  await noteProvenSignIn(deps, account, origin)
  return { account, expiresAt: Math.floor(now / 1_000) + LIMITS.recoveryCodeGraceMinutes * 60 }
}
