// Verification of codes: of an authenticator or a recovery code. Guesses are counted first; each code works once.
import { fail } from '@bowline/contract/errors'
import type { Kysely } from 'kysely'
import type { Origin } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { noteAccountEvent } from '../users/activity.ts'
import type { Account } from '../users/service.ts'
import { type Scope, takeGuess } from './budget.ts'
import { codeHash } from './codes.ts'
import type { MfaDeps } from './deps.ts'
import { addNotice } from '../mails/notices.ts'
import { type AuthenticatorRow, listAuthenticators, takeRecoveryCode, takeStep } from './store.ts'
import { stepOf } from './totp.ts'

/** Code that a person typed: one of the two. */
export interface TypedCode {
  readonly code?: string | undefined
  readonly recovery_code?: string | undefined
}

/** Name under which the secret of an authenticator is sealed: a row moved to another id does not open. */
export function authenticatorSeal(id: string): string {
  return `authenticator:${id}`
}

/**
 * Checks a code of an account and uses it up.
 * @returns false for a wrong or used one
 * @throws {BowlineError} INVALID_INPUT unless exactly one code is given; TOO_MANY_REQUESTS over the budget
 */
export async function verifyFactor(
  deps: MfaDeps,
  account: Account,
  typed: TypedCode,
  { scope, origin }: { readonly scope: Scope; readonly origin: Origin },
): Promise<boolean> {
  requireOneCode(typed)
  const takeBack = await takeGuess(deps, { scope, subject: account.id, user: account.id }, origin)
  const { code, recovery_code: recoveryCode } = typed
  const matches =
    code === undefined
      ? await useRecoveryCode(deps, account, recoveryCode ?? '', origin)
      : await useCode(deps, account, code)
  if (matches) await takeBack()
  else await noteAccountEvent(deps.db, deps.clock.now(), { user: account.id, kind: 'factor.fail', origin })
  return matches
}

/** True if a person can type codes of an authenticator. */
export async function hasAuthenticator({ db }: Pick<MfaDeps, 'db'>, user: Account['id']): Promise<boolean> {
  return (await listAuthenticators(db, user)).length > 0
}

/** @throws {BowlineError} INVALID_INPUT */
export function requireOneCode({ code, recovery_code: recoveryCode }: TypedCode): void {
  if ((code === undefined) !== (recoveryCode === undefined)) return
  fail('INVALID_INPUT', { field: 'code', rule: 'or recovery_code is required, and not both' }, [
    'code',
    'recovery_code',
  ])
}

/** Checks a code against every authenticator of an account. */
async function useCode(deps: MfaDeps, account: Account, code: string): Promise<boolean> {
  const now = deps.clock.now()
  for (const row of await listAuthenticators(deps.db, account.id)) {
    const step = stepOf(secretOf(deps, row), code, now)
    if (step !== undefined && (await takeStep(deps.db, row.id, step, new Date(now)))) return true
  }
  return false
}

function secretOf({ secretKey }: MfaDeps, row: AuthenticatorRow): string {
  return secretKey.open(authenticatorSeal(row.id), row.sealed).toString()
}

/** Uses a recovery code up. @param account undefined for an unknown one: the same statement runs */
export function useRecoveryCode(
  deps: MfaDeps,
  account: Account | undefined,
  code: string,
  origin: Origin,
): Promise<boolean> {
  const user = account?.id ?? ''
  const hash = codeHash(deps.codeKey, user, code)
  const now = deps.clock.now()
  return deps.db.transaction().execute(async (db: Kysely<Schema>) => {
    if (!(await takeRecoveryCode(db, user, hash, new Date(now))) || !account) return false
    await noteAccountEvent(db, now, { user: account.id, kind: 'recovery-code.use', origin })
    await addNotice(db, deps, account, { event: 'recovery-code-used', origin })
    return true
  })
}
