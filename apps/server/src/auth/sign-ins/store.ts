// SQL of sign-ins and known devices. System rows: no tenant sees them.
import { LIMITS } from '@bowline/contract/limits'
import type { UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import { countRows } from '../../db/lists/count.ts'
import type { Schema } from '../../db/schema.ts'
import type { ProviderSessionsTable, SignInsTable } from '../../db/tables/sign-in-tables.ts'

export type SignInRow = Selectable<SignInsTable>

export async function insertSignIn(db: Kysely<Schema>, row: Insertable<SignInsTable>): Promise<void> {
  await db.insertInto('sign_ins').values(row).execute()
}

/** Records a use. @param use.expiresAt new end of the sign-in; unchanged by default */
export async function touchSignIn(
  db: Kysely<Schema>,
  id: string,
  use: { readonly at: Date; readonly source: string; readonly expiresAt?: Date },
): Promise<void> {
  await db
    .updateTable('sign_ins')
    .set({
      last_seen: use.at,
      source: use.source,
      ...(use.expiresAt ? { expires_at: use.expiresAt } : {}),
    })
    .where('id', '=', id)
    .execute()
}

/** A page of a person's living sign-ins, last used first. */
export async function listSignInsOf(
  db: Kysely<Schema>,
  user: UserId,
  now: Date,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ rows: SignInRow[]; total: number }> {
  const all = db.selectFrom('sign_ins').where('user_id', '=', user).where('expires_at', '>', now)
  const rows = await all
    .selectAll()
    .orderBy('last_seen', 'desc')
    .orderBy('id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total: await countRows(all) }
}

export function findSignIn(db: Kysely<Schema>, user: UserId, id: string): Promise<SignInRow | undefined> {
  return db.selectFrom('sign_ins').selectAll().where('id', '=', id).where('user_id', '=', user).executeTakeFirst()
}

/** Deletes one sign-in of a person. @returns the row; undefined when there is none */
export function deleteSignIn(db: Kysely<Schema>, user: UserId, id: string): Promise<SignInRow | undefined> {
  return db.deleteFrom('sign_ins').where('id', '=', id).where('user_id', '=', user).returningAll().executeTakeFirst()
}

/** Deletes the sign-ins of a person but one. @returns their rows */
export function deleteOtherSignIns(db: Kysely<Schema>, user: UserId, kept: string): Promise<SignInRow[]> {
  return db.deleteFrom('sign_ins').where('user_id', '=', user).where('id', '!=', kept).returningAll().execute()
}

export async function deleteSignInsOf(db: Kysely<Schema>, user: UserId): Promise<void> {
  await db.deleteFrom('sign_ins').where('user_id', '=', user).execute()
}

/** Remembers a device. @returns whether it is new, and whether the account had one before */
export async function saveDevice(
  db: Kysely<Schema>,
  user: UserId,
  hash: Buffer,
  at: Date,
): Promise<{ isNew: boolean; isFirst: boolean }> {
  const others = await db.selectFrom('known_devices').select('user_id').where('user_id', '=', user).limit(1).execute()
  const saved = await db
    .insertInto('known_devices')
    .values({ user_id: user, device_hash: hash, first_seen: at, last_seen: at })
    .onConflict((conflict) => conflict.columns(['user_id', 'device_hash']).doUpdateSet({ last_seen: at }))
    .returning(sql<boolean>`xmax = 0`.as('isNew'))
    .executeTakeFirstOrThrow()
  return { isNew: saved.isNew, isFirst: others.length === 0 }
}

/** Adds a session; the oldest ones of the same subject that no sign-in came of make room, with what waits for them. */
export async function insertProviderSession(
  db: Kysely<Schema>,
  session: Insertable<ProviderSessionsTable>,
): Promise<void> {
  const unfinished = db
    .selectFrom('provider_sessions')
    .select('id')
    .where('provider_id', '=', session.provider_id)
    .where('subject', '=', session.subject)
    .where('sign_in', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .offset(LIMITS.unfinishedProviderSignIns - 1)
  await db.deleteFrom('provider_sessions').where('id', 'in', unfinished).execute()
  await db.insertInto('provider_sessions').values(session).execute()
}

/** Binds a sign-in to the session that it came of. @returns false when the provider has ended that */
export async function attachSignIn(db: Kysely<Schema>, session: string, signIn: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('provider_sessions')
    .set({ sign_in: signIn })
    .where('id', '=', session)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** The newest session of a browser at a provider. */
export function findProviderSession(
  db: Kysely<Schema>,
  provider: string,
  browser: Buffer,
): Promise<Selectable<ProviderSessionsTable> | undefined> {
  return db
    .selectFrom('provider_sessions')
    .selectAll()
    .where('provider_id', '=', provider)
    .where('browser_hash', '=', browser)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** People whose sessions a provider has ended, in a fixed order. */
export async function listUsersOfSessions(db: Kysely<Schema>, ended: EndedAtProvider): Promise<UserId[]> {
  const { provider, subject, sid } = ended
  const rows = await db
    .selectFrom('provider_sessions')
    .select('user_id')
    .distinct()
    .where('provider_id', '=', provider)
    .where((either) =>
      either.or([
        ...(subject === undefined ? [] : [either('subject', '=', subject)]),
        ...(sid === undefined ? [] : [either('sid', '=', sid)]),
      ]),
    )
    .orderBy('user_id')
    .execute()
  return rows.map(({ user_id: user }) => user)
}

/** Deletes the sessions that a provider has ended, and what waits to become a sign-in of them. */
export function deleteProviderSessions(
  db: Kysely<Schema>,
  { provider, subject, sid }: EndedAtProvider,
): Promise<{ user_id: UserId; sign_in: string | null }[]> {
  return db
    .deleteFrom('provider_sessions')
    .where('provider_id', '=', provider)
    .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? ''))
    .$if(sid !== undefined, (query) =>
      query.where((either) => {
        const isThat = either('sid', '=', sid ?? '')
        // Without one in its ID token a session is known by its subject alone.
        return subject === undefined ? isThat : either.or([isThat, either('sid', 'is', null)])
      }),
    )
    .returning(['user_id', 'sign_in'])
    .execute()
}

/** Names a session, all sessions of a subject, or both. */
export interface EndedAtProvider {
  readonly provider: string
  readonly subject: string | undefined
  readonly sid: string | undefined
}

/**
 * Removes sessions whose sign-in has ended or never began.
 * @param olderThan.unfinished creation of those that no sign-in can come of any more
 */
export async function deleteOldProviderSessions(
  db: Kysely<Schema>,
  olderThan: { readonly ended: Date; readonly unfinished: Date },
): Promise<void> {
  await sql`delete from provider_sessions where created_at < ${olderThan.unfinished} and sign_in is null
    or created_at < ${olderThan.ended}
    and not exists (select from sign_ins where sign_ins.id = provider_sessions.sign_in)`.execute(db)
}

/** Removes expired sign-ins, and devices not seen since `olderThan`. */
export async function deleteOldSignIns(db: Kysely<Schema>, now: Date, olderThan: Date): Promise<void> {
  await db.deleteFrom('sign_ins').where('expires_at', '<', now).execute()
  await db.deleteFrom('known_devices').where('last_seen', '<', olderThan).execute()
}
