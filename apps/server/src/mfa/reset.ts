// Reset of the second factor: one code to each address of the account, both together switch it off.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { UserId } from '@bowline/contract/schemas/common'
import type { Origin } from '../context.ts'
import { endBrowserSessionsOf, noteSignIn } from '../auth/service.ts'
import { requireLocalSignIn } from '../auth/ways-in.ts'
import { COMMAND_LINE, noteAccountEvent, noteFactorFailure } from '../users/activity.ts'
import { type Account, findAccount, getAccount, lockAccount, signOutEverywhere } from '../users/service.ts'
import type { SessionEnding } from '../users/service.ts'
import { takeGuess } from './budget.ts'
import { codeHash, newCode } from './codes.ts'
import type { MfaDeps } from './deps.ts'
import { removeEveryFactor } from './flag.ts'
import { addNotice } from '../mails/notices.ts'
import { saveReset, takeReset } from './store.ts'

/**
 * Mails the codes of a reset, if an account with a second factor and two addresses has the name. They are written after
 * the answer: it must tell nothing about the account, nor may its time.
 * @throws {BowlineError} LOCAL_SIGN_IN_DISABLED; TOO_MANY_REQUESTS
 */
export async function requestReset(deps: MfaDeps, identifier: string, origin: Origin): Promise<void> {
  await requireLocalSignIn(deps)
  const named = await findAccount(deps.db, identifier)
  // The owner's own sources are not bound by what strangers ask for.
  const user = named?.id ?? ''
  await takeGuess(deps, { scope: 'request-reset', subject: identifier, user }, origin)
  mailCodes(deps, identifier, origin).catch((error: unknown) => deps.log.error('jobs.error', { err: error }))
}

async function mailCodes(deps: MfaDeps, identifier: string, origin: Origin): Promise<void> {
  const account = await findAccount(deps.db, identifier)
  if (account?.status !== 'confirmed' || !account.mfaEnabled || account.recoveryEmail === '') return
  const { id: user, name } = account
  const [main, recovery] = [newCode(), newCode()]
  const now = deps.clock.now()
  const reset = {
    user_id: user,
    main_hash: codeHash(deps.codeKey, user, main),
    recovery_hash: codeHash(deps.codeKey, user, recovery),
    created_at: new Date(now),
    expires_at: new Date(now + LIMITS.factorResetHours * 3_600_000),
  }
  const link = deps.mails.link('/reset-mfa', { id: user })
  await deps.db.transaction().execute(async (db) => {
    const since = new Date(now - LIMITS.factorResetIntervalMinutes * 60_000)
    if (!(await saveReset(db, reset, since))) return
    const values = { name, link, hours: LIMITS.factorResetHours }
    const mail = { kind: 'reset-code', user, source: origin.source } as const
    await deps.mails.add(db, { ...mail, to: account.email, values: { ...values, code: main } })
    await deps.mails.add(db, { ...mail, to: account.recoveryEmail, values: { ...values, code: recovery } })
    await noteAccountEvent(db, now, { user, kind: 'factor.reset-request', origin })
  })
}

/**
 * Switches the second factor off with the codes of both mails. Unknown accounts and wrong codes get the same answer.
 * @param id as the link of the mails has it
 * @returns the account, without a second factor
 * @throws {BowlineError} LOCAL_SIGN_IN_DISABLED; CODE_REFUSED; TOO_MANY_REQUESTS
 */
export async function resetFactors(
  deps: MfaDeps,
  id: string,
  codes: { readonly main_email_code: string; readonly recovery_email_code: string },
  origin: Origin,
): Promise<Account> {
  await requireLocalSignIn(deps)
  const user = UserId.safeParse(id).data ?? ''
  const takeBack = await takeGuess(deps, { scope: 'reset', subject: id, user }, origin)
  const now = deps.clock.now()
  const hashes = {
    main: codeHash(deps.codeKey, user, codes.main_email_code),
    recovery: codeHash(deps.codeKey, user, codes.recovery_email_code),
  }
  const reset = await deps.db.transaction().execute(async (db) => {
    const locked = await lockAccount(db, user as UserId)
    const isRight = await takeReset(db, user as UserId, hashes, new Date(now))
    if (!isRight || locked?.status !== 'confirmed') return undefined
    await removeEveryFactor(db, locked.id)
    await noteAccountEvent(db, now, { user: locked.id, kind: 'factor.reset', origin })
    await addNotice(db, deps, locked, { event: 'factors-reset', origin })
    return locked.id
  })
  if (!reset) {
    await noteFactorFailure(deps.db, now, { user: '', kind: 'factor.fail', origin })
    return fail('CODE_REFUSED')
  }
  await takeBack()
  // Sessions that a factor has protected must not go on without it.
  const { clock } = deps
  await signOutEverywhere(deps.db, { clock, endSessions: endBrowserSessionsOf }, reset, origin)
  const account = (await getAccount(deps.db, reset)) ?? fail('CODE_REFUSED')
  await noteSignIn(deps, account, origin)
  return account
}

/**
 * Removes every factor of an account and ends its sessions; for the operator of the instance.
 * @throws {BowlineError} NOT_FOUND
 */
export async function resetByOperator(
  deps: Pick<MfaDeps, 'db' | 'clock' | 'mails'>,
  endSessions: SessionEnding['endSessions'],
  account: Account,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const locked = (await lockAccount(db, account.id)) ?? fail('NOT_FOUND', { what: 'The user' })
    await removeEveryFactor(db, locked.id)
    const now = deps.clock.now()
    await noteAccountEvent(db, now, { user: locked.id, kind: 'factor.reset', origin: COMMAND_LINE })
    await addNotice(db, deps, locked, { event: 'factors-reset', origin: COMMAND_LINE })
  })
  await signOutEverywhere(deps.db, { clock: deps.clock, endSessions }, account.id, COMMAND_LINE)
}
