// SQL of users. System rows: no tenant sees them.
import type { UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, type Updateable, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { Schema, UsersTable } from '../db/schema.ts'

export type UserRow = Selectable<UsersTable>

export function insertUser(db: Kysely<Schema>, user: Insertable<UsersTable>): Promise<unknown> {
  return db.insertInto('users').values(user).execute()
}

/** Adds a user without names unless the address has one. */
export async function insertPlaceholder(db: Kysely<Schema>, user: Insertable<UsersTable>): Promise<void> {
  await db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute()
}

/** Finds which of `username` and `email` are taken by users other than `self`. */
export async function findTaken(
  db: Kysely<Schema>,
  names: { username?: string | undefined; email?: string | undefined },
  self?: UserId,
): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'username', 'email'])
    .where((where) => where.or([where('username', '=', names.username ?? ''), where('email', '=', names.email ?? '')]))
    .execute()
  return (['username', 'email'] as const).filter((field) =>
    rows.some((row) => row.id !== self && names[field] !== undefined && row[field] === names[field]),
  )
}

export function findUser(db: Kysely<Schema>, id: UserId): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

/**
 * Finds a user by username or address. A username may look like another user's e-mail address; the address takes
 * precedence, so that its owner is never blocked.
 * @param identifier lower-case username or e-mail address
 */
export function findByIdentifier(db: Kysely<Schema>, identifier: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where((where) => where.or([where('username', '=', identifier), where('email', '=', identifier)]))
    .orderBy(sql<boolean>`email = ${identifier}`, 'desc')
    .executeTakeFirst()
}

export async function updateUser(db: Kysely<Schema>, id: UserId, values: Updateable<UsersTable>): Promise<void> {
  await db.updateTable('users').set(values).where('id', '=', id).execute()
}

export function findByEmail(db: Kysely<Schema>, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
}

/** All users ordered by username; invited ones without a username last. */
export function listUsers(db: Kysely<Schema>): Promise<UserRow[]> {
  return db
    .selectFrom('users')
    .selectAll()
    .orderBy('username', (order) => order.asc().nullsLast())
    .orderBy('email')
    .execute()
}

/** Names of the namespaces that the user owns. */
export async function findOwned(db: Kysely<Schema>, id: UserId): Promise<string[]> {
  const rows = await db.selectFrom('namespaces').select('name').where('owner', '=', id).orderBy('name').execute()
  return rows.map(({ name }) => name)
}

/** Deletes the user; the database cascades to memberships and browser sessions. */
export async function deleteUser(db: Kysely<Schema>, id: UserId): Promise<void> {
  await db.deleteFrom('users').where('id', '=', id).execute()
}

/** Locks and returns the user's row: changes of one account are serialised. */
export function lockUser(db: Kysely<Schema>, id: UserId): Promise<UserRow | undefined> {
  // Other rows may reference it meanwhile: its key does not change.
  return db.selectFrom('users').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

/** Number of namespaces that the user owns. */
export function countOwned(db: Kysely<Schema>, id: UserId): Promise<number> {
  return countRows(db.selectFrom('namespaces').where('owner', '=', id))
}

/** Locks and returns an account and all administrators of the server, in a fixed order that prevents deadlocks. */
export function lockWithAdministrators(db: Kysely<Schema>, id: UserId): Promise<UserRow[]> {
  return db
    .selectFrom('users')
    .selectAll()
    .where((either) => either.or([either('is_instance_admin', '=', true), either('id', '=', id)]))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/** Confirmed accounts that administer the server. */
export function listAdministrators(db: Kysely<Schema>): Promise<UserRow[]> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('is_instance_admin', '=', true)
    .where('status', '=', 'confirmed')
    .orderBy('id')
    .execute()
}

/** Replaces the hash of a password, unless it is another one by now. */
export async function updateHash(db: Kysely<Schema>, id: UserId, before: string, after: string): Promise<void> {
  await db
    .updateTable('users')
    .set({ password_hash: after })
    .where('id', '=', id)
    .where('password_hash', '=', before)
    .execute()
}

/** Highest cost of the bcrypt hashes; null if there are none. By the index `users_with_a_bcrypt_hash`. */
export async function findBcryptCost(db: Kysely<Schema>): Promise<string | null> {
  const { rows } = await sql<{ cost: string | null }>`
    select max(substr(password_hash, 5, 2)) as cost from users where password_hash like '$2%'`.execute(db)
  return rows[0]?.cost ?? null
}
