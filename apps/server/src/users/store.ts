// SQL of people. System rows: no tenant sees them.
import type { UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, type Updateable, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { Schema, UsersTable } from '../db/schema.ts'

export type UserRow = Selectable<UsersTable>

export function insertUser(db: Kysely<Schema>, user: Insertable<UsersTable>): Promise<unknown> {
  return db.insertInto('users').values(user).execute()
}

/** Which of `username` and `email` people other than `self` have already. */
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
 * A username may look like somebody else's e-mail address; the address goes first, so that nobody can stand in the way
 * of its owner.
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

/** Every account by username; those invited without one last. */
export function listUsers(db: Kysely<Schema>): Promise<UserRow[]> {
  return db
    .selectFrom('users')
    .selectAll()
    .orderBy('username', (order) => order.asc().nullsLast())
    .orderBy('email')
    .execute()
}

/** Names of the namespaces that the person owns. */
export async function findOwned(db: Kysely<Schema>, id: UserId): Promise<string[]> {
  const rows = await db.selectFrom('namespaces').select('name').where('owner', '=', id).orderBy('name').execute()
  return rows.map(({ name }) => name)
}

/** Deletes the account; the database takes memberships and browser sessions along. */
export async function deleteUser(db: Kysely<Schema>, id: UserId): Promise<void> {
  await db.deleteFrom('users').where('id', '=', id).execute()
}

/** The account with its row locked: changes of one account happen one after the other. */
export function lockUser(db: Kysely<Schema>, id: UserId): Promise<UserRow | undefined> {
  // Other rows may refer to it meanwhile: its key does not change.
  return db.selectFrom('users').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

/** How many namespaces the person owns. */
export function countOwned(db: Kysely<Schema>, id: UserId): Promise<number> {
  return countRows(db.selectFrom('namespaces').where('owner', '=', id))
}
