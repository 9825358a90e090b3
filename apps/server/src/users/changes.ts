// Changes that people make to their own account.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { AccountEventKind } from '@bowline/contract/schemas/account-event'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { spend } from '../budgets/service.ts'
import type { Origin } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { addNotice } from '../mails/notices.ts'
import { endTokensOf } from './account-tokens.ts'
import { countWithinTheHour, noteAccountEvent } from './activity.ts'
import { requestAddress } from './address.ts'
import { type AccountDeps, requireOtherThanNames, requireOwnName, toAccount } from './service.ts'
import { type UserRow, findTaken, findUser, lockUser, updateUser } from './store.ts'

/** Editable fields of an account; an empty or absent text leaves the field unchanged. */
export interface AccountChanges {
  readonly name?: string | undefined
  readonly username?: string | undefined
  readonly email?: string | undefined
  readonly recovery_email?: string | undefined
  readonly password?: string | undefined
  readonly current_password?: string | undefined
}

/**
 * Changes an account. A new password and a new address need the current password. A new password ends every token and
 * browser session of the account, in case others had the old one.
 * @throws {BowlineError} NOT_FOUND; INVALID_INPUT with the invalid fields (the recovery address equal to the address,
 *   a wrong current password, a password that equals a name of the account); CONFLICT with the taken fields;
 *   TOO_MANY_REQUESTS after several of these; LOCKED_OUT after wrong current passwords; FRESH_PROOF_REQUIRED
 */
export async function updateAccount(
  db: Kysely<Schema>,
  deps: AccountDeps,
  id: UserId,
  changes: AccountChanges,
  origin: Origin,
): Promise<void> {
  const given = (value: string | undefined): string | undefined => (value === '' ? undefined : value)
  const wanted: Wanted = {
    name: given(changes.name),
    username: given(changes.username),
    email: given(changes.email),
    recovery: given(changes.recovery_email),
  }
  const password = given(changes.password)
  const known = (await findUser(db, id)) ?? fail('NOT_FOUND', { what: 'The user' })
  requireTwoAddresses(known, wanted)
  const isProven = password !== undefined || touchesAddress(known, wanted)
  if (isProven) await deps.requireProof()
  if (isProven) await requireCurrentPassword(deps, known, changes.current_password, origin)
  if (deps.confirmsAddresses && wanted.email !== undefined && wanted.email !== known.email) {
    await spend({ db, clock: deps.clock }, ADDRESS_CHANGES, id)
    await spend({ db, clock: deps.clock }, ADDRESS_MAILS, wanted.email)
  }
  const passwordHash =
    password === undefined ? undefined : await newPasswordHash(deps, known, wanted, { ...changes, password }, origin)
  const taken = await db.transaction().execute(async (inner) => {
    const row = (await lockUser(inner, id)) ?? fail('NOT_FOUND', { what: 'The user' })
    // The password was proven for the earlier row: a concurrent password change takes precedence.
    const holds = isProven ? row.token_epoch === known.token_epoch : !touchesAddress(row, wanted)
    if (!holds) failCurrentPassword()
    return changeLocked(inner, deps, { row, wanted, passwordHash, origin })
  })
  // Outside the transaction, so that the recorded attempt is kept.
  if (taken.length) fail('CONFLICT', { field: taken.join(' and ') }, taken)
}

/** Each request sends a mail to an address that may be somebody else's. */
const ADDRESS_CHANGES = { name: 'address changes', limit: LIMITS.mailRequestsPerNameAndHour, hours: 1 }
const ADDRESS_MAILS = { name: 'address mails', limit: LIMITS.mailRequestsPerNameAndHour, hours: 1 }

/** Requested values; undefined leaves the field unchanged. */
interface Wanted {
  readonly name: string | undefined
  readonly username: string | undefined
  readonly email: string | undefined
  readonly recovery: string | undefined
}

function touchesAddress(row: UserRow, { email, recovery }: Wanted): boolean {
  return (email ?? row.email) !== row.email || (recovery ?? row.recovery_email) !== row.recovery_email
}

function requireTwoAddresses(row: UserRow, { email, recovery }: Wanted): void {
  if ((email ?? row.email) !== (recovery ?? row.recovery_email)) return
  fail('INVALID_INPUT', { field: 'recovery_email', rule: 'must differ from email' }, ['email', 'recovery_email'])
}

/** @returns the taken fields; if there are any, nothing was changed */
async function changeLocked(
  db: Kysely<Schema>,
  deps: AccountDeps,
  change: {
    readonly row: UserRow
    readonly wanted: Wanted
    readonly passwordHash: string | undefined
    readonly origin: Origin
  },
): Promise<readonly string[]> {
  const { wanted: asked, passwordHash, origin } = change
  const { row } = change
  const now = deps.clock.now()
  // An address that must be confirmed changes later; nothing here may tell whether somebody has it.
  const later = deps.confirmsAddresses && asked.email !== row.email ? asked.email : undefined
  const wanted = later === undefined ? asked : { ...asked, email: undefined }
  const after = {
    name: wanted.name ?? row.name,
    username: wanted.username ?? row.username,
    email: wanted.email ?? row.email,
    recovery_email: wanted.recovery ?? row.recovery_email,
  }
  requireTwoAddresses(row, asked)
  const note = (kind: AccountEventKind, details: Readonly<Record<string, unknown>> = {}): Promise<void> =>
    noteAccountEvent(db, now, { user: row.id, kind, origin, details })
  if (after.username !== row.username || after.email !== row.email) {
    // Each answer reveals whether a name is registered.
    if ((await countWithinTheHour(db, now, row.id, 'account.conflict')) >= LIMITS.accountConflictsPerHour) {
      fail('TOO_MANY_REQUESTS', { seconds: 3_600 })
    }
    const taken = await findTaken(db, { username: wanted.username, email: wanted.email }, row.id)
    if (taken.length) {
      await note('account.conflict', { fields: taken })
      return taken
    }
  }
  if (after.username !== row.username) {
    requireOwnName(after.username ?? '', row.email)
    const renames = await countWithinTheHour(db, now, row.id, 'username.change')
    if (renames >= LIMITS.usernameChangesPerHour) fail('TOO_MANY_REQUESTS', { seconds: 3_600 })
  }
  await updateUser(db, row.id, {
    ...after,
    ...(after.email === row.email ? {} : { email_unproven: true }),
    ...(passwordHash === undefined ? {} : { password_hash: passwordHash, token_epoch: row.token_epoch + 1 }),
  })
  if (after.username !== row.username) {
    await note('username.change', { before: row.username, after: after.username })
  }
  if (touchesAddress(row, wanted)) {
    const before = { email: row.email, recovery_email: row.recovery_email }
    await note('address.change', { before, after: { email: after.email, recovery_email: after.recovery_email } })
  }
  if (after.email !== row.email) {
    await endTokensOf(db, row.id)
    await addNotice(db, deps, row, { event: 'address-changed', subject: after.email, origin })
  }
  if (passwordHash !== undefined) {
    await deps.endSessions(db, row.id)
    await note('password.change')
    await addNotice(db, deps, row, { event: 'password-changed', origin })
  }
  if (later !== undefined) {
    const epoch = passwordHash === undefined ? row.token_epoch : row.token_epoch + 1
    await requestAddress(db, deps, { ...row, token_epoch: epoch, name: after.name }, later, origin)
  }
  return []
}

async function requireCurrentPassword(
  { isCurrentPassword }: AccountDeps,
  row: UserRow,
  current: string | undefined,
  origin: Origin,
): Promise<void> {
  // A missing password is not counted as a guess: existing consoles send none with a new address.
  if (current === undefined || current === '') return failCurrentPassword()
  if (!(await isCurrentPassword(toAccount(row), current, origin))) failCurrentPassword()
}

function failCurrentPassword(): never {
  return fail('INVALID_INPUT', { field: 'current_password', rule: 'is wrong' }, ['current_password'])
}

function newPasswordHash(
  { passwords }: AccountDeps,
  row: UserRow,
  { username, email, recovery }: Wanted,
  { password, current_password: current }: AccountChanges & { readonly password: string },
  { source }: Origin,
): Promise<string> {
  if (password === current) {
    fail('INVALID_INPUT', { field: 'password', rule: 'must differ from the current one' }, ['password'])
  }
  requireOtherThanNames(password, [row.username, row.email, row.recovery_email, username, email, recovery])
  return passwords.hash(password, source)
}
