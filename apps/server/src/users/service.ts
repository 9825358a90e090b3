// Use cases of people's accounts.
import { fail } from '@bowline/contract/errors'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Clock } from '@bowline/base/clock'
import type { Origin } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { Ids } from '../platform/ids.ts'
import type { MailQueue } from '../mails/queue.ts'
import { addNotice } from '../mails/notices.ts'
import { type Account, toAccount } from './account.ts'
import { endTokensOf } from './account-tokens.ts'
import { COMMAND_LINE, noteAccountEvent } from './activity.ts'
import {
  type UserRow,
  countOwned,
  deleteUser,
  findBcryptCost,
  findByEmail,
  findByIdentifier,
  findOwned,
  findTaken,
  findUser,
  insertPlaceholder,
  insertUser,
  listUsers,
  lockUser,
  updateHash,
  updateUser,
} from './store.ts'

export { type Account, toAccount } from './account.ts'

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
    isInstanceAdmin?: boolean
    emailMarketing?: boolean
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
    is_instance_admin: user.isInstanceAdmin ?? false,
    email_marketing: user.emailMarketing ?? false,
  })
  const details = { username: user.username, email: user.email }
  await noteAccountEvent(db, clock.now(), { user: id, kind: 'account.create', origin, details })
  return id
}

/**
 * The account with that address, or a placeholder for it, which becomes an account when the address is proven.
 * @param email in any case
 */
export async function inviteAccount(db: Kysely<Schema>, ids: Ids, email: string): Promise<Account> {
  await insertPlaceholder(db, { id: ids.user(), email: email.toLowerCase(), status: 'invited', max_namespaces: 1 })
  return (await findAccountByEmail(db, email)) ?? fail('INTERNAL')
}

/** Deletes a placeholder; an account is left alone. @param db system connection, in a transaction */
export async function deletePlaceholder(db: Kysely<Schema>, id: UserId): Promise<void> {
  const row = await lockUser(db, id)
  if (row?.status === 'invited') await deleteUser(db, id)
}

/** Values of a registration whose address is proven. */
export interface ProvenRegistration {
  readonly name: string
  readonly username: string
  readonly email: string
  readonly passwordHash: string
  readonly emailMarketing: boolean
  readonly maxNamespaces: number
}

/**
 * Makes the account of somebody who has proven to own the address; a placeholder of an invitation becomes it.
 * @param db system connection, in a transaction
 * @returns undefined when the address has an account
 * @throws {BowlineError} CONFLICT when the username is taken
 */
export async function completeRegistration(
  db: Kysely<Schema>,
  made: { readonly ids: Ids; readonly clock: Clock; readonly origin: Origin },
  person: ProvenRegistration,
): Promise<UserId | undefined> {
  const { name, username, email, passwordHash, emailMarketing, maxNamespaces } = person
  const known = await findByEmail(db, email)
  const row = known && (await lockUser(db, known.id))
  if (!row) return createUser(db, made, { ...person, status: 'confirmed' })
  if (row.status === 'confirmed' || row.status === 'disabled') return undefined
  if ((await findTaken(db, { username }, row.id)).length) fail('CONFLICT', { field: 'username' }, ['username'])
  await updateUser(db, row.id, {
    name,
    username,
    password_hash: passwordHash,
    email_marketing: emailMarketing,
    max_namespaces: maxNamespaces,
    status: 'confirmed',
    token_epoch: row.token_epoch + 1,
  })
  const { clock, origin } = made
  const details = { username, email }
  await noteAccountEvent(db, clock.now(), { user: row.id, kind: 'account.create', origin, details })
  return row.id
}

/** True if an account has the username. @param username lower-case */
export async function isUsernameTaken(db: Kysely<Schema>, username: string): Promise<boolean> {
  return (await findTaken(db, { username })).length > 0
}

/** Dependencies for ending an account's sessions. */
export interface SessionEnding {
  readonly clock: Clock
  /** Ends the browser sessions of an account, inside the caller's transaction. */
  readonly endSessions: (db: Kysely<Schema>, id: UserId) => Promise<void>
}

export interface AccountDeps extends SessionEnding {
  /** Refuses a caller who has not used their second factor lately. @throws {BowlineError} FRESH_PROOF_REQUIRED */
  readonly requireProof: () => Promise<void>
  readonly ids: Ids
  readonly mails: Pick<MailQueue, 'add' | 'link'>
  /** True if a new address replaces the old one only when its link has been opened: this server sends mail. */
  readonly confirmsAddresses: boolean
  readonly passwords: { hash(password: string, source?: string): Promise<string> }
  /** Checks the current password of an account and counts a wrong one. @throws {BowlineError} LOCKED_OUT */
  readonly isCurrentPassword: (account: Account, password: string, origin: Origin) => Promise<boolean>
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
 * Refuses a username that looks like the address of somebody else: whether it signs in would tell whether that address
 * has an account.
 * @throws {BowlineError} INVALID_INPUT
 */
export function requireOwnName(username: string, email: string): void {
  if (!username.includes('@') || username === email.toLowerCase()) return
  fail('INVALID_INPUT', { field: 'username', rule: 'must not contain @ unless it is your own address' }, ['username'])
}

/**
 * Sets a password without the current one, for the operator of the instance.
 * @throws {BowlineError} NOT_FOUND; INVALID_INPUT for a password that equals a name of the account
 */
export async function setPassword(
  db: Kysely<Schema>,
  { passwords, clock, endSessions, mails }: Pick<AccountDeps, 'passwords' | 'clock' | 'endSessions' | 'mails'>,
  id: UserId,
  password: string,
): Promise<void> {
  const passwordHash = await passwords.hash(password)
  await db.transaction().execute(async (inner) => {
    const row = (await lockUser(inner, id)) ?? fail('NOT_FOUND', { what: 'The user' })
    requireOtherThanNames(password, [row.username, row.email, row.recovery_email])
    // An account of an identity provider can be signed in to by password from now on.
    const methods = { auth_methods: [...new Set([...row.auth_methods, 'local' as const])] }
    await updateUser(inner, id, { password_hash: passwordHash, token_epoch: row.token_epoch + 1, ...methods })
    await endSessions(inner, id)
    await noteAccountEvent(inner, clock.now(), { user: id, kind: 'password.set', origin: COMMAND_LINE })
    await addNotice(inner, { mails, clock }, row, { event: 'password-changed', origin: COMMAND_LINE })
  })
}

/**
 * Sets the password of somebody who has opened the link of a recovery mail. Every session and token of the account
 * ends; a second factor stays.
 * @param db system connection, in a transaction
 * @param wanted.passwordHash as PasswordHasher made it, outside of the transaction: hashes wait for their turn
 * @returns false when the account cannot have a password
 * @throws {BowlineError} INVALID_INPUT for a password that equals a name of the account
 */
export async function recoverPassword(
  db: Kysely<Schema>,
  deps: Pick<AccountDeps, 'clock' | 'endSessions' | 'mails'>,
  id: UserId,
  wanted: { readonly password: string; readonly passwordHash: string },
  origin: Origin,
): Promise<boolean> {
  const row = await lockUser(db, id)
  if (row?.status !== 'confirmed' || !row.auth_methods.includes('local')) return false
  requireOtherThanNames(wanted.password, [row.username, row.email, row.recovery_email])
  await updateUser(db, id, { password_hash: wanted.passwordHash, token_epoch: row.token_epoch + 1 })
  await deps.endSessions(db, id)
  await endTokensOf(db, id)
  await noteAccountEvent(db, deps.clock.now(), { user: id, kind: 'password.reset', origin })
  await addNotice(db, deps, row, { event: 'password-changed', origin })
  return true
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
 * Deletes an account with its memberships.
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
  origin: Origin = COMMAND_LINE,
): Promise<T> {
  const row = (await lockUser(db, id)) ?? fail('NOT_FOUND', { what: 'The user' })
  const owned = await findOwned(db, id)
  if (owned.length) {
    fail('OWNER_REFUSED', { rule: `${row.username} owns ${owned.join(', ')}: delete what is owned first` })
  }
  const ended = await endMemberships(id)
  await deleteUser(db, id)
  const details = { username: row.username, email: row.email }
  await noteAccountEvent(db, clock.now(), { user: id, kind: 'account.remove', origin, details })
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

/** Sets how many namespaces an account may own. @param limit -1 for any number */
export async function setMaxNamespaces(db: Kysely<Schema>, id: UserId, limit: number): Promise<void> {
  await updateUser(db, id, { max_namespaces: limit })
}

export async function recordLogin(db: Kysely<Schema>, id: UserId, at: Date): Promise<void> {
  await updateUser(db, id, { last_login: at })
}

/**
 * Replaces the hash of a password that stays the same: nothing ends.
 * @param before the hash that was checked; another one, which somebody has set meanwhile, stays
 */
export function replaceHash(db: Kysely<Schema>, id: UserId, before: string, after: string): Promise<void> {
  return updateHash(db, id, before, after)
}

/** Highest cost of the bcrypt hashes that accounts have from another server; undefined if there are none. */
export async function highestBcryptCost(db: Kysely<Schema>): Promise<number | undefined> {
  const cost = await findBcryptCost(db)
  return cost === null ? undefined : Number(cost)
}
