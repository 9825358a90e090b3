// Use cases of a person's own second factor.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { NEVER } from '@bowline/contract/schemas/common'
import type { FreshProof, NewFactor, SecondFactor } from '@bowline/contract/schemas/second-factor'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { noteFreshProof, proofEndsAt, requireFreshProof, signInOf } from '../auth/fresh-proofs.ts'
import { requireOwner } from '../auth/ownership.ts'
import { isCurrentPassword } from '../auth/service.ts'
import { endOtherSignIns } from '../auth/sign-ins/service.ts'
import type { Origin, UserActor } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { hashOf } from '../platform/secrets/hash.ts'
import { noteAccountEvent, noteFactorFailure } from '../users/activity.ts'
import { type Account, getAccount, lockAccount } from '../users/service.ts'
import { takeGuess } from './budget.ts'
import { codeHash, newRecoveryCodes } from './codes.ts'
import type { MfaDeps } from './deps.ts'
import { refreshMfaFlag, removeAuthenticators } from './flag.ts'
import { addNotice } from '../mails/notices.ts'
import {
  countRecoveryCodes,
  deleteExpiredFactors,
  deleteAuthenticator,
  deleteIssuedSecrets,
  findIssuedSecret,
  hasRecoveryCodes,
  insertAuthenticator,
  insertIssuedSecret,
  listAuthenticators,
  renameAuthenticator,
  replaceRecoveryCodes,
  wasRecoveryCodeUsed,
} from './store.ts'

export { listSecondSteps } from './store.ts'
import { newSecret, otpauthLink, stepOf } from './totp.ts'
import { type TypedCode, authenticatorSeal, requireOneCode, verifyFactor } from './verify.ts'

/** Generated secrets that an account may have waiting. */
const ISSUED_SECRETS = 5

/** @throws {BowlineError} NOT_FOUND when the account is gone */
async function accountOf({ db }: Pick<MfaDeps, 'db'>, user: UserId): Promise<Account> {
  return (await getAccount(db, user)) ?? fail('NOT_FOUND', { what: 'The user' })
}

async function lockedAccount(db: Kysely<Schema>, user: UserId): Promise<Account> {
  return (await lockAccount(db, user)) ?? fail('NOT_FOUND', { what: 'The user' })
}

/** @throws {BowlineError} NOT_FOUND */
async function accountWithFactor(deps: MfaDeps, user: UserId): Promise<Account> {
  const account = await accountOf(deps, user)
  return account.mfaEnabled ? account : fail('NOT_FOUND', { what: 'The second factor' })
}

/** The second factor of an account. @throws {BowlineError} NOT_FOUND */
export async function describeFactors(deps: MfaDeps, user: UserId): Promise<SecondFactor> {
  const { mfaEnabled } = await accountOf(deps, user)
  const rows = await listAuthenticators(deps.db, user)
  return {
    enabled: mfaEnabled,
    authenticators: rows.map(({ id, name, created_at, last_used_at }) => ({
      id,
      name,
      created_at: created_at.toISOString(),
      last_used_at: last_used_at?.toISOString() ?? NEVER,
    })),
    recovery_codes_left: await countRecoveryCodes(deps.db, user),
  }
}

/**
 * Generates a secret, and recovery codes unless the account has some. Only their hashes are stored, for an hour. People
 * without a password prove who they are first, because they leave the page to do so, and the secret with it.
 * @throws {BowlineError} FRESH_PROOF_REQUIRED for the first factor of an account without a password; NOT_FOUND
 */
export async function generateFactor(deps: MfaDeps, actor: UserActor, origin: Origin): Promise<NewFactor> {
  const user = actor.id
  const account = await accountOf(deps, user)
  const { username, mfaEnabled, passwordHash } = account
  if (!mfaEnabled && passwordHash === undefined) await requireOwner(deps, actor, account, undefined, origin)
  const secret = newSecret()
  const recoveryCodes = (await hasRecoveryCodes(deps.db, user)) ? [] : newRecoveryCodes()
  const row = {
    secret_hash: hashOf(secret),
    user_id: user,
    code_hashes: recoveryCodes.map((code) => codeHash(deps.codeKey, user, code)),
    expires_at: new Date(deps.clock.now() + LIMITS.issuedSecretMinutes * 60_000),
  }
  await deps.db.transaction().execute((db) => insertIssuedSecret(db, row, ISSUED_SECRETS))
  const label = `${username}@${new URL(deps.mails.link('/')).hostname}`
  return { link: otpauthLink(secret, label), secret, recovery_codes: recoveryCodes }
}

export interface NewAuthenticator {
  readonly code: string
  readonly secret: string
  readonly recovery_codes: readonly string[]
  readonly name?: string | undefined
  readonly current_password?: string | undefined
}

/**
 * Adds an authenticator. The first one switches the second factor on, and needs a credential proven within the last
 * minutes or the current password.
 * @throws {BowlineError} INVALID_INPUT for a secret or recovery codes that were not generated for this account, and in
 *   the cloud edition without a recovery address; for a missing or wrong current password; CODE_REFUSED; FACTOR_LIMIT;
 *   FRESH_PROOF_REQUIRED when the account has a factor, or no password; TOO_MANY_REQUESTS; LOCKED_OUT; NOT_FOUND
 */
export async function enableFactor(
  deps: MfaDeps,
  actor: UserActor,
  input: NewAuthenticator,
  origin: Origin,
): Promise<void> {
  const account = await accountOf(deps, actor.id)
  if (deps.edition === 'cloud' && account.recoveryEmail === '') {
    fail('INVALID_INPUT', { field: 'recovery_email', rule: 'is required before the second factor is switched on' }, [
      'recovery_email',
    ])
  }
  if (account.mfaEnabled) await requireFreshProof(deps, actor)
  else await requireOwner(deps, actor, account, input.current_password, origin)
  const takeBack = await takeGuess(deps, { scope: 'change', subject: actor.id, user: actor.id }, origin)
  const now = deps.clock.now()
  const step = await deps.db.transaction().execute(async (db) => {
    const locked = await lockedAccount(db, actor.id)
    // A concurrent call may have added the first factor.
    await requireFreshProof({ ...deps, db }, actor)
    const issued = await issuedCodes(deps, db, actor.id, input)
    const matched = stepOf(input.secret, input.code, now)
    if (matched === undefined) return undefined
    await addAuthenticator(deps, db, locked, { input, step: matched, origin })
    if (issued.length) await replaceRecoveryCodes(db, actor.id, issued)
    // Those that wait would bring recovery codes that differ from the ones just saved.
    await deleteIssuedSecrets(db, actor.id)
    await refreshMfaFlag(db, actor.id)
    if (!locked.mfaEnabled) await endOtherSignIns({ ...deps, db }, actor)
    // The code has just shown that the person has the factor.
    await noteFreshProof({ ...deps, db }, actor.id, signInOf(actor))
    return matched
  })
  if (step === undefined) {
    await noteFactorFailure(deps.db, now, { user: actor.id, kind: 'factor.fail', origin })
    fail('CODE_REFUSED')
  }
  await takeBack()
}

/** Hashes of the recovery codes of a generated secret. @throws {BowlineError} INVALID_INPUT */
async function issuedCodes(
  { clock, codeKey }: MfaDeps,
  db: Kysely<Schema>,
  user: UserId,
  { secret, recovery_codes: codes }: NewAuthenticator,
): Promise<readonly Buffer[]> {
  const issued = await findIssuedSecret(db, user, hashOf(secret), new Date(clock.now()))
  if (!issued)
    return fail('INVALID_INPUT', { field: 'secret', rule: 'must be one generated for you lately' }, ['secret'])
  const given = new Set(codes.map((code) => codeHash(codeKey, user, code).toString('hex')))
  if (given.size !== issued.length || !issued.every((hash) => given.has(hash.toString('hex')))) {
    fail('INVALID_INPUT', { field: 'recovery_codes', rule: 'must be those generated with the secret' }, [
      'recovery_codes',
    ])
  }
  return issued
}

async function addAuthenticator(
  deps: MfaDeps,
  db: Kysely<Schema>,
  account: Account,
  { input, step, origin }: { readonly input: NewAuthenticator; readonly step: number; readonly origin: Origin },
): Promise<void> {
  const user = account.id
  const known = await listAuthenticators(db, user)
  if (known.length >= LIMITS.authenticators) fail('FACTOR_LIMIT', { limit: LIMITS.authenticators })
  const id = deps.ids.uuid()
  const name = input.name ?? (known.length ? `Authenticator ${known.length + 1}` : 'Authenticator')
  const now = deps.clock.now()
  const sealed = deps.secretKey.seal(authenticatorSeal(id), Buffer.from(input.secret))
  await insertAuthenticator(db, { id, user_id: user, name, sealed, last_step: step, created_at: new Date(now) })
  await noteAccountEvent(db, now, { user, kind: 'factor.add', origin, details: { name } })
  await addNotice(db, deps, account, { event: 'factor-added', subject: name, origin })
}

/** @throws {BowlineError} NOT_FOUND */
export async function renameFactor(
  deps: MfaDeps,
  user: UserId,
  { id, name }: { readonly id: string; readonly name: string },
  origin: Origin,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const before = await renameAuthenticator(db, user, id, name)
    if (before === undefined) return fail('NOT_FOUND', { what: 'The authenticator' })
    const details = { before, after: name }
    if (before !== name) await noteAccountEvent(db, deps.clock.now(), { user, kind: 'factor.rename', origin, details })
  })
}

/**
 * Removes one authenticator. Without the last factor of the account the second factor is off.
 * @throws {BowlineError} FRESH_PROOF_REQUIRED; NOT_FOUND
 */
export async function removeFactor(deps: MfaDeps, actor: UserActor, id: string, origin: Origin): Promise<void> {
  await requireFreshProof(deps, actor)
  await deps.db.transaction().execute(async (db) => {
    const account = await lockedAccount(db, actor.id)
    const name = await deleteAuthenticator(db, actor.id, id)
    if (name === undefined) return fail('NOT_FOUND', { what: 'The authenticator' })
    await refreshMfaFlag(db, actor.id)
    await noteAccountEvent(db, deps.clock.now(), { user: actor.id, kind: 'factor.remove', origin, details: { name } })
    await addNotice(db, deps, account, { event: 'factor-removed', subject: name, origin })
  })
}

/**
 * Replaces the recovery codes.
 * @throws {BowlineError} NOT_FOUND without a second factor; FRESH_PROOF_REQUIRED; TOO_MANY_REQUESTS
 */
export async function renewRecoveryCodes(deps: MfaDeps, actor: UserActor, origin: Origin): Promise<string[]> {
  await accountWithFactor(deps, actor.id)
  await requireFreshProof(deps, actor)
  await takeGuess(deps, { scope: 'renew', subject: actor.id, user: actor.id }, origin)
  const codes = newRecoveryCodes()
  await deps.db.transaction().execute(async (db) => {
    const account = await lockedAccount(db, actor.id)
    if (!account.mfaEnabled) fail('NOT_FOUND', { what: 'The second factor' })
    const hashes = codes.map((code) => codeHash(deps.codeKey, actor.id, code))
    await replaceRecoveryCodes(db, actor.id, hashes)
    await noteAccountEvent(db, deps.clock.now(), { user: actor.id, kind: 'recovery-codes.renew', origin })
    await addNotice(db, deps, account, { event: 'recovery-codes-renewed', origin })
  })
  return codes
}

/**
 * Removes every authenticator and the recovery codes: without a passkey that switches the second factor off. The code is
 * its own proof; a recovery code that has signed in within the last minutes
 * works once more.
 * @throws {BowlineError} INVALID_INPUT without a code; CODE_REFUSED; NOT_FOUND without a second factor;
 *   TOO_MANY_REQUESTS
 */
export async function disableFactors(deps: MfaDeps, actor: UserActor, typed: TypedCode, origin: Origin): Promise<void> {
  requireOneCode(typed)
  const account = await accountWithFactor(deps, actor.id)
  const isProven =
    (await hasJustSignedIn(deps, account.id, typed)) ||
    (await verifyFactor(deps, account, typed, { scope: 'change', origin }))
  if (!isProven) fail('CODE_REFUSED')
  await deps.db.transaction().execute(async (db) => {
    const locked = await lockedAccount(db, actor.id)
    await removeAuthenticators(db, actor.id)
    await noteAccountEvent(db, deps.clock.now(), { user: actor.id, kind: 'factor.remove', origin, details: {} })
    await addNotice(db, deps, locked, { event: 'factor-removed', origin })
  })
}

async function hasJustSignedIn(deps: MfaDeps, user: UserId, { recovery_code: code }: TypedCode): Promise<boolean> {
  if (code === undefined) return false
  const since = new Date(deps.clock.now() - LIMITS.recoveryCodeGraceMinutes * 60_000)
  return wasRecoveryCodeUsed(deps.db, user, codeHash(deps.codeKey, user, code), since)
}

/** A code, or for accounts without a second factor the password. */
type Proof = TypedCode & { readonly current_password?: string | undefined }

/**
 * Notes a fresh proof for the sign-in of the caller.
 * @throws {BowlineError} INVALID_INPUT without a code, or for a wrong password; CODE_REFUSED; NOT_FOUND for a code
 *   without a second factor; TOO_MANY_REQUESTS; LOCKED_OUT
 */
export async function prove(
  deps: MfaDeps,
  actor: UserActor,
  { current_password: password, ...typed }: Proof,
  origin: Origin,
): Promise<FreshProof> {
  const account = await accountOf(deps, actor.id)
  if (password !== undefined && !account.mfaEnabled) {
    const isRight = await isCurrentPassword(deps, account, password, origin)
    if (!isRight) fail('INVALID_INPUT', { field: 'current_password', rule: 'is wrong' }, ['current_password'])
  } else {
    requireOneCode(typed)
    await accountWithFactor(deps, actor.id)
    if (!(await verifyFactor(deps, account, typed, { scope: 'change', origin }))) fail('CODE_REFUSED')
  }
  await noteFreshProof(deps, actor.id, signInOf(actor))
  return describeProof(deps, actor)
}

/** @throws {BowlineError} NOT_FOUND */
export async function describeProof(deps: MfaDeps, actor: UserActor): Promise<FreshProof> {
  const { mfaEnabled } = await accountOf(deps, actor.id)
  const end = await proofEndsAt(deps.db, actor)
  return { required: mfaEnabled, valid_until: end === 0 ? NEVER : new Date(end).toISOString() }
}

/** Removes expired generated secrets, resets and counts of guesses. */
export function forgetExpiredFactors({ db, clock }: Pick<MfaDeps, 'db' | 'clock'>): Promise<void> {
  return deleteExpiredFactors(db, new Date(clock.now()))
}
