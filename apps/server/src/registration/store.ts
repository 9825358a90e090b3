// SQL of registrations and of mails that people ask for. System rows.
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { MailRequestsTable, RegistrationsTable } from '../db/tables/registration-tables.ts'
import type { Schema } from '../db/schema.ts'

export type RegistrationRow = Selectable<RegistrationsTable>
export type MailRequestRow = Selectable<MailRequestsTable>

export async function insertRegistration(db: Kysely<Schema>, row: Insertable<RegistrationsTable>): Promise<void> {
  await db.insertInto('registrations').values(row).execute()
}

/**
 * Locks all registrations with an address in a fixed order: the one that is confirmed ends the others, and links that are
 * opened at once would wait for each other.
 * @param db in a transaction
 */
export async function lockRegistrationsOf(db: Kysely<Schema>, email: string): Promise<void> {
  await db.selectFrom('registrations').select('id').where('email', '=', email).orderBy('id').forUpdate().execute()
}

/** Uses the token of a registration up in one statement. @returns undefined if it is unknown, used or expired */
export function takeRegistration(
  db: Kysely<Schema>,
  link: { readonly email: string; readonly hash: Buffer },
  now: Date,
): Promise<RegistrationRow | undefined> {
  return db
    .deleteFrom('registrations')
    .where('token_hash', '=', link.hash)
    .where('email', '=', link.email)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}

/** Registrations that wait under a username or an address, the oldest first. @param identifier lower-case */
export function listRegistrations(
  db: Kysely<Schema>,
  by: 'username' | 'email',
  identifier: string,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<RegistrationRow[]> {
  return db
    .selectFrom('registrations')
    .selectAll()
    .where(by, '=', identifier)
    .where('expires_at', '>', now)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Replaces the token of a registration. */
export async function renewRegistration(
  db: Kysely<Schema>,
  id: string,
  values: { readonly token_hash: Buffer; readonly expires_at: Date },
): Promise<void> {
  await db.updateTable('registrations').set(values).where('id', '=', id).execute()
}

/** Ends every registration with an address that has an account now. */
export async function deleteRegistrationsOf(db: Kysely<Schema>, email: string): Promise<void> {
  await db.deleteFrom('registrations').where('email', '=', email).execute()
}

export async function insertMailRequest(db: Kysely<Schema>, row: Insertable<MailRequestsTable>): Promise<void> {
  await db.insertInto('mail_requests').values(row).execute()
}

/** Takes the oldest request that no other server works on. Call it in the transaction that fulfils it. */
export async function takeMailRequest(db: Kysely<Schema>): Promise<MailRequestRow | undefined> {
  const { rows } = await sql<MailRequestRow>`
    delete from mail_requests where id = (
      select id from mail_requests order by created_at, id limit 1 for update skip locked)
    returning *`.execute(db)
  return rows[0]
}

/** Removes expired registrations, and requests that have failed for an hour. */
export async function deleteExpired(db: Kysely<Schema>, now: Date): Promise<void> {
  await db.deleteFrom('registrations').where('expires_at', '<', now).execute()
  await db
    .deleteFrom('mail_requests')
    .where('created_at', '<', new Date(now.getTime() - 3_600_000))
    .execute()
}
