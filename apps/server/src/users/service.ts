// Use cases of people's accounts.
import { fail } from '@bowline/contract/errors'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { Ids } from '../platform/ids.ts'
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
 * @param user names validated; `passwordHash` as PasswordHasher made it
 * @throws {BowlineError} CONFLICT with the taken fields
 */
export async function createUser(
  db: Kysely<Schema>,
  ids: Ids,
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
  return id
}

/** A placeholder for somebody invited by e-mail: it becomes an account when the person registers. */
export async function inviteAccount(db: Kysely<Schema>, ids: Ids, email: string): Promise<Account> {
  const id = ids.user()
  await insertUser(db, { id, email: email.toLowerCase(), status: 'invited', max_namespaces: 1 })
  return (await getAccount(db, id)) ?? fail('INTERNAL')
}

/** What a person may change; an empty or absent text leaves the field as it is. */
export interface AccountChanges {
  readonly name?: string | undefined
  readonly username?: string | undefined
  readonly email?: string | undefined
  readonly recovery_email?: string | undefined
  readonly password?: string | undefined
  readonly current_password?: string | undefined
}

/** What changing an account needs of sign-in. */
export interface AccountDeps {
  readonly passwords: Passwords
  readonly endSessions: (db: Kysely<Schema>, id: UserId) => Promise<void>
}

/** The part of the password hasher that accounts need. */
export interface Passwords {
  hash(password: string): Promise<string>
  verify(stored: string | undefined, password: string): Promise<boolean>
}

/**
 * Changes an account. A new password needs the current one and ends every token of the account, and every browser
 * session: whoever else had the old one is out.
 * @param endSessions ends the browser sessions of an account, inside the transaction
 * @throws {BowlineError} NOT_FOUND; INVALID_INPUT with the fields at fault (the recovery address equal to the address,
 *   a wrong current password); CONFLICT with the taken fields
 */
export async function updateAccount(
  db: Kysely<Schema>,
  { passwords, endSessions }: AccountDeps,
  id: UserId,
  changes: AccountChanges,
): Promise<void> {
  const given = (value: string | undefined): string | undefined => (value === '' ? undefined : value)
  const [name, username, email] = [given(changes.name), given(changes.username), given(changes.email)]
  const recovery = given(changes.recovery_email)
  const password = given(changes.password)
  const known = (await findUser(db, id)) ?? fail('NOT_FOUND', { what: 'The user' })
  const passwordHash = password === undefined ? undefined : await newPasswordHash(passwords, known, password, changes)
  await db.transaction().execute(async (inner) => {
    const row = (await lockUser(inner, id)) ?? fail('NOT_FOUND', { what: 'The user' })
    if ((email ?? row.email) === (recovery ?? row.recovery_email)) {
      fail('INVALID_INPUT', { field: 'recovery_email', rule: 'must differ from email' }, ['email', 'recovery_email'])
    }
    const taken = await findTaken(inner, { username, email }, id)
    if (taken.length) fail('CONFLICT', { field: taken.join(' and ') }, taken)
    await updateUser(inner, id, {
      name: name ?? row.name,
      username: username ?? row.username,
      email: email ?? row.email,
      recovery_email: recovery ?? row.recovery_email,
      ...(passwordHash === undefined ? {} : { password_hash: passwordHash, token_epoch: row.token_epoch + 1 }),
    })
    if (passwordHash !== undefined) await endSessions(inner, id)
  })
}

async function newPasswordHash(
  passwords: Passwords,
  row: UserRow,
  password: string,
  { current_password: current }: AccountChanges,
): Promise<string> {
  const matches = await passwords.verify(row.password_hash ?? undefined, current ?? '')
  if (!matches) fail('INVALID_INPUT', { field: 'current_password', rule: 'is wrong' }, ['current_password'])
  if (password === current) {
    fail('INVALID_INPUT', { field: 'password', rule: 'must differ from the current one' }, ['password'])
  }
  return passwords.hash(password)
}

/**
 * Sets a password without asking for the current one: for the operator of the instance.
 * @param endSessions ends the browser sessions of an account, inside the transaction
 * @throws {BowlineError} NOT_FOUND
 */
export async function setPassword(
  db: Kysely<Schema>,
  { passwords, endSessions }: AccountDeps,
  id: UserId,
  password: string,
): Promise<void> {
  const passwordHash = await passwords.hash(password)
  await db.transaction().execute(async (inner) => {
    const row = (await lockUser(inner, id)) ?? fail('NOT_FOUND', { what: 'The user' })
    await updateUser(inner, id, { password_hash: passwordHash, token_epoch: row.token_epoch + 1 })
    await endSessions(inner, id)
  })
}

/**
 * Deletes an account with its memberships.
 * @param db system connection, inside the caller's transaction
 * @throws {BowlineError} NOT_FOUND; OWNER_REFUSED naming the namespaces that the person owns
 */
export async function removeAccount(db: Kysely<Schema>, id: UserId): Promise<void> {
  const row = (await lockUser(db, id)) ?? fail('NOT_FOUND', { what: 'The user' })
  const owned = await findOwned(db, id)
  if (owned.length) {
    fail('OWNER_REFUSED', { rule: `${row.username} owns ${owned.join(', ')}: delete what is owned first` })
  }
  await deleteUser(db, id)
}

/** Every account, by username. @param db system connection */
export async function listAccounts(db: Kysely<Schema>): Promise<Account[]> {
  return (await listUsers(db)).map((row) => toAccount(row))
}

/** How many namespaces a person owns. */
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

/** The account, kept from changing until the caller's transaction ends. */
export async function lockAccount(db: Kysely<Schema>, id: UserId): Promise<Account | undefined> {
  const row = await lockUser(db, id)
  return row && toAccount(row)
}

/** Remembers the namespace a person last signed in to. */
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
