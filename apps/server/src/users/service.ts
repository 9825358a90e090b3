// Use cases of people's accounts.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { AccountEventKind } from '@bowline/contract/schemas/account-event'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Clock } from '@bowline/base/clock'
import type { Origin } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { Ids } from '../platform/ids.ts'
import { COMMAND_LINE, countWithinTheHour, noteAccountEvent } from './activity.ts'
import {
  type UserRow,
  countOwned,
  deleteUser,
  findByEmail,
  findByIdentifier,
  findOwned,
  findTaken,
  findUser,
  insertUser,
  listUsers,
  lockUser,
  updateUser,
} from './store.ts'

/** A registered person. */
export interface Account {
  readonly id: UserId
  readonly username: string
  readonly name: string
  readonly email: string
  readonly recoveryEmail: string
  readonly passwordHash: string | undefined
  readonly status: UserRow['status']
  readonly origin: 'local' | 'SAML'
  readonly authMethods: readonly ('local' | 'saml')[]
  readonly mfaEnabled: boolean
  readonly maxNamespaces: number
  readonly preferredTenant: TenantId | undefined
  readonly tokenEpoch: number
}

/**
 * Creates an account.
 * @param db system connection, inside the caller's transaction
 * @param user names validated; `passwordHash` as PasswordHasher made it
 * @throws {BowlineError} CONFLICT with the taken fields
 */
export async function createUser(
  db: Kysely<Schema>,
  { ids, clock, origin }: { readonly ids: Ids; readonly clock: Clock; readonly origin: Origin },
  user: {
    name: string
    username: string
    email: string
    passwordHash: string
    status: UserRow['status']
    maxNamespaces: number
  },
): Promise<UserId> {
  const taken = await findTaken(db, user)
  if (taken.length) fail('CONFLICT', { field: taken.join(' and ') }, taken)
  const id = ids.user()
  await insertUser(db, {
    id,
    name: user.name,
    username: user.username,
    email: user.email,
    password_hash: user.passwordHash,
    status: user.status,
    max_namespaces: user.maxNamespaces,
  })
  const details = { username: user.username, email: user.email }
  await noteAccountEvent(db, clock.now(), { user: id, kind: 'account.create', origin, details })
  return id
}

/** Creates a placeholder for an invited e-mail address, which becomes an account on registration. */
export async function inviteAccount(db: Kysely<Schema>, ids: Ids, email: string): Promise<Account> {
  const id = ids.user()
  await insertUser(db, { id, email: email.toLowerCase(), status: 'invited', max_namespaces: 1 })
  return (await getAccount(db, id)) ?? fail('INTERNAL')
}

/** Editable fields of an account; an empty or absent text leaves the field unchanged. */
export interface AccountChanges {
  readonly name?: string | undefined
  readonly username?: string | undefined
  readonly email?: string | undefined
  readonly recovery_email?: string | undefined
  readonly password?: string | undefined
  readonly current_password?: string | undefined
}

/** Dependencies for ending an account's sessions. */
export interface SessionEnding {
  readonly clock: Clock
  /** Ends the browser sessions of an account, inside the caller's transaction. */
  readonly endSessions: (db: Kysely<Schema>, id: UserId) => Promise<void>
}

export interface AccountDeps extends SessionEnding {
  readonly passwords: { hash(password: string): Promise<string> }
  /** Checks the current password of an account and counts a wrong one. @throws {BowlineError} LOCKED_OUT */
  readonly isCurrentPassword: (account: Account, password: string, origin: Origin) => Promise<boolean>
}

/**
 * Changes an account. A new password and a new address need the current password. A new password ends every token and
 * browser session of the account, in case others had the old one.
 * @throws {BowlineError} NOT_FOUND; INVALID_INPUT with the invalid fields (the recovery address equal to the address,
 *   a wrong current password, a password that equals a name of the account); CONFLICT with the taken fields;
 *   TOO_MANY_REQUESTS after several of these; LOCKED_OUT after wrong current passwords
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
  if (isProven) await requireCurrentPassword(deps, known, changes.current_password, origin)
  const passwordHash =
    password === undefined ? undefined : await newPasswordHash(deps, known, wanted, password, changes)
  const taken = await db.transaction().execute(async (inner) => {
    const row = (await lockUser(inner, id)) ?? fail('NOT_FOUND', { what: 'The user' })
    // The password was proven for the earlier row: a concurrent password change takes precedence.
    const holds = isProven ? row.token_epoch === known.token_epoch : !touchesAddress(row, wanted)
    if (!holds) failCurrentPassword()
    return changeLocked(inner, deps.clock.now(), { row, wanted, passwordHash, origin, endSessions: deps.endSessions })
  })
  // Outside the transaction, so that the recorded attempt is kept.
  if (taken.length) fail('CONFLICT', { field: taken.join(' and ') }, taken)
}

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
  now: number,
  change: {
    readonly row: UserRow
    readonly wanted: Wanted
    readonly passwordHash: string | undefined
    readonly origin: Origin
    readonly endSessions: SessionEnding['endSessions']
  },
): Promise<readonly string[]> {
  const { row, wanted, passwordHash, origin } = change
  const after = {
    name: wanted.name ?? row.name,
    username: wanted.username ?? row.username,
    email: wanted.email ?? row.email,
    recovery_email: wanted.recovery ?? row.recovery_email,
  }
  requireTwoAddresses(row, wanted)
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
  await updateUser(db, row.id, {
    ...after,
    ...(passwordHash === undefined ? {} : { password_hash: passwordHash, token_epoch: row.token_epoch + 1 }),
  })
  if (after.username !== row.username) {
    await note('username.change', { before: row.username, after: after.username })
  }
  if (touchesAddress(row, wanted)) {
    const before = { email: row.email, recovery_email: row.recovery_email }
    await note('address.change', { before, after: { email: after.email, recovery_email: after.recovery_email } })
  }
  if (passwordHash !== undefined) {
    await change.endSessions(db, row.id)
    await note('password.change')
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
  password: string,
  { current_password: current }: AccountChanges,
): Promise<string> {
  if (password === current) {
    fail('INVALID_INPUT', { field: 'password', rule: 'must differ from the current one' }, ['password'])
  }
  requireOtherThanNames(password, [row.username, row.email, row.recovery_email, username, email, recovery])
  return passwords.hash(password)
}

/**
 * Rejects a password that equals a name of the account: these are guessed first.
 * @throws {BowlineError} INVALID_INPUT
 */
export function requireOtherThanNames(password: string, names: readonly (string | null | undefined)[]): void {
  if (!names.includes(password.toLowerCase())) return
  fail('INVALID_INPUT', { field: 'password', rule: 'must differ from the username and the e-mail address' }, [
    'password',
  ])
}

/**
 * Sets a password without the current one, for the operator of the instance.
 * @throws {BowlineError} NOT_FOUND; INVALID_INPUT for a password that equals a name of the account
 */
export async function setPassword(
  db: Kysely<Schema>,
  { passwords, clock, endSessions }: Omit<AccountDeps, 'isCurrentPassword'>,
  id: UserId,
  password: string,
): Promise<void> {
  const passwordHash = await passwords.hash(password)
  await db.transaction().execute(async (inner) => {
    const row = (await lockUser(inner, id)) ?? fail('NOT_FOUND', { what: 'The user' })
    requireOtherThanNames(password, [row.username, row.email, row.recovery_email])
    await updateUser(inner, id, { password_hash: passwordHash, token_epoch: row.token_epoch + 1 })
    await endSessions(inner, id)
    await noteAccountEvent(inner, clock.now(), { user: id, kind: 'password.set', origin: COMMAND_LINE })
  })
}

/**
 * Ends every token and browser session of an account.
 * @throws {BowlineError} NOT_FOUND
 */
export async function signOutEverywhere(
  db: Kysely<Schema>,
  { clock, endSessions }: SessionEnding,
  id: UserId,
  origin: Origin,
): Promise<void> {
  await db.transaction().execute(async (inner) => {
    const row = (await lockUser(inner, id)) ?? fail('NOT_FOUND', { what: 'The user' })
    await updateUser(inner, id, { token_epoch: row.token_epoch + 1 })
    await endSessions(inner, id)
    await noteAccountEvent(inner, clock.now(), { user: id, kind: 'sign-out.everywhere', origin })
  })
}

/**
 * Deletes an account with its memberships; for the operator of the instance.
 * @param db system connection, inside the caller's transaction
 * @param endMemberships ends them in the same transaction, and disables keys that the person vouched for
 * @returns the result of `endMemberships`
 * @throws {BowlineError} NOT_FOUND; OWNER_REFUSED naming the namespaces that the person owns
 */
export async function removeAccount<T>(
  db: Kysely<Schema>,
  clock: Clock,
  id: UserId,
  endMemberships: (user: UserId) => Promise<T>,
): Promise<T> {
  const row = (await lockUser(db, id)) ?? fail('NOT_FOUND', { what: 'The user' })
  const owned = await findOwned(db, id)
  if (owned.length) {
    fail('OWNER_REFUSED', { rule: `${row.username} owns ${owned.join(', ')}: delete what is owned first` })
  }
  const ended = await endMemberships(id)
  await deleteUser(db, id)
  const details = { username: row.username, email: row.email }
  await noteAccountEvent(db, clock.now(), { user: id, kind: 'account.remove', origin: COMMAND_LINE, details })
  return ended
}

/** All accounts, ordered by username. @param db system connection */
export async function listAccounts(db: Kysely<Schema>): Promise<Account[]> {
  return (await listUsers(db)).map((row) => toAccount(row))
}

/** Number of namespaces that a user owns. */
export function countOwnedNamespaces(db: Kysely<Schema>, id: UserId): Promise<number> {
  return countOwned(db, id)
}

/** The account with that e-mail address, in any case. A username that looks like one does not count. */
export async function findAccountByEmail(db: Kysely<Schema>, email: string): Promise<Account | undefined> {
  const row = await findByEmail(db, email.toLowerCase())
  return row && toAccount(row)
}

/** The account with that username or e-mail address, in any case. */
export async function findAccount(db: Kysely<Schema>, identifier: string): Promise<Account | undefined> {
  const row = await findByIdentifier(db, identifier.toLowerCase())
  return row && toAccount(row)
}

export async function getAccount(db: Kysely<Schema>, id: UserId): Promise<Account | undefined> {
  const row = await findUser(db, id)
  return row && toAccount(row)
}

/** Locks and returns the account until the caller's transaction ends. */
export async function lockAccount(db: Kysely<Schema>, id: UserId): Promise<Account | undefined> {
  const row = await lockUser(db, id)
  return row && toAccount(row)
}

/** Stores the namespace that a user last signed in to. */
export async function setPreferredTenant(db: Kysely<Schema>, id: UserId, tenant: TenantId | undefined): Promise<void> {
  await updateUser(db, id, { preferred_tenant: tenant ?? null })
}

export async function recordLogin(db: Kysely<Schema>, id: UserId, at: Date): Promise<void> {
  await updateUser(db, id, { last_login: at })
}

function toAccount(row: UserRow): Account {
  return {
    id: row.id,
    username: row.username ?? '',
    name: row.name ?? '',
    email: row.email,
    recoveryEmail: row.recovery_email ?? '',
    passwordHash: row.password_hash ?? undefined,
    status: row.status,
    origin: row.origin,
    authMethods: row.auth_methods,
    mfaEnabled: row.mfa_enabled,
    maxNamespaces: row.max_namespaces,
    preferredTenant: row.preferred_tenant ?? undefined,
    tokenEpoch: row.token_epoch,
  }
}
