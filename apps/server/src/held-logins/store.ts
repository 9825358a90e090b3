// SQL of logins that wait for their person, and of the windows in which no factor is asked again. System connection.
import { LIMITS } from '@bowline/contract/limits'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { FactorWindowsTable, HeldLoginsTable } from '../db/tables/held-login-tables.ts'
import type { Schema } from '../db/schema.ts'

export type HeldRow = Selectable<HeldLoginsTable>

/** A login as people see it. */
export interface ShownRow extends HeldRow {
  readonly namespace: string
  readonly device_name: string
  readonly hours: number
}

/** Subject of an approval. */
export interface Subject {
  readonly tenant: TenantId
  /** Owner of the key; undefined for a password, which names nobody. */
  readonly person: UserId | undefined
  /** SHA-256 of what the client proved. */
  readonly credential: Buffer
  /** Network that it comes from. */
  readonly source: string
}

/** Makes asking and deciding take turns until the transaction ends. */
export async function lockHeldLogins(db: Kysely<Schema>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('held_logins'))`.execute(db)
}

/** True if the subject has proven a factor since `since`, and the account that did has not been secured anew. */
export async function hasWindow(db: Kysely<Schema>, subject: Subject, since: Date): Promise<boolean> {
  return (await findWindow(db, subject, since)) !== undefined
}

/** When the subject has last proven a factor since `since`, and by which account; undefined if it has not. */
export async function findWindow(
  db: Kysely<Schema>,
  subject: Subject,
  since: Date,
): Promise<{ readonly opened_at: Date; readonly user_id: UserId } | undefined> {
  let query = db
    .selectFrom('factor_windows')
    .innerJoin('users', 'users.id', 'factor_windows.user_id')
    .innerJoin('members', (join) =>
      join
        .onRef('members.tenant_id', '=', 'factor_windows.tenant_id')
        .onRef('members.user_id', '=', 'factor_windows.user_id'),
    )
    .select(['factor_windows.opened_at', 'factor_windows.user_id'])
    .where('factor_windows.tenant_id', '=', subject.tenant)
    .where('credential', '=', subject.credential)
    .where('source', '=', subject.source)
    .where('opened_at', '>', since)
    .where('members.status', '=', 'accepted')
    .where('users.status', '=', 'confirmed')
    .whereRef('users.token_epoch', '=', 'factor_windows.token_epoch')
  if (subject.person !== undefined) query = query.where('factor_windows.user_id', '=', subject.person)
  return query.orderBy('opened_at', 'desc').limit(1).executeTakeFirst()
}

export async function openWindow(db: Kysely<Schema>, window: Insertable<FactorWindowsTable>): Promise<void> {
  const { token_epoch, opened_at } = window
  await db
    .insertInto('factor_windows')
    .values(window)
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'credential', 'source', 'user_id']).doUpdateSet({ token_epoch, opened_at }),
    )
    .execute()
}

/** @param db connection of the tenant or the system */
export async function deleteWindowsOf(db: Kysely<Schema>, tenant: TenantId): Promise<void> {
  await db.deleteFrom('factor_windows').where('tenant_id', '=', tenant).execute()
}

/** The newest login of a subject that waits, or that was denied since `deniedSince`. */
export function findAsked(
  db: Kysely<Schema>,
  { tenant, person, credential, source }: Subject,
  { now, deniedSince }: { readonly now: Date; readonly deniedSince: Date },
): Promise<HeldRow | undefined> {
  return db
    .selectFrom('held_logins')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('credential', '=', credential)
    .where('source', '=', source)
    .where('user_id', person === undefined ? 'is' : '=', person ?? null)
    .where((either) =>
      either.or([
        either.and([either('approved', 'is', null), either('expires_at', '>', now)]),
        either.and([either('approved', '=', false), either('decided_at', '>', deniedSince)]),
      ]),
    )
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Numbers of waiting logins, by the limits that count them: those of the namespace, and all. */
export interface WaitingCounts {
  readonly ofSource: number
  /** 0 for a password, which names no person. */
  readonly ofCredential: number
  readonly ofPerson: number
  readonly ofNamespace: number
  readonly ofAll: number
}

/** Source, credential and person count within the namespace: what waits in another one takes nothing from this. */
export async function countWaiting(
  db: Kysely<Schema>,
  { tenant, person, credential, source }: Subject,
  now: Date,
): Promise<WaitingCounts> {
  const { rows } = await sql<WaitingCounts>`select
      count(*) filter (where tenant_id = ${tenant} and source = ${source})::integer as "ofSource",
      count(*) filter (where tenant_id = ${tenant} and user_id = ${person ?? null}
        and credential = ${credential})::integer as "ofCredential",
      count(*) filter (where tenant_id = ${tenant} and user_id = ${person ?? null})::integer as "ofPerson",
      count(*) filter (where tenant_id = ${tenant})::integer as "ofNamespace",
      count(*)::integer as "ofAll"
    from held_logins where approved is null and expires_at > ${now}`.execute(db)
  return rows[0] ?? { ofSource: 0, ofCredential: 0, ofPerson: 0, ofNamespace: 0, ofAll: 0 }
}

/**
 * Makes room for one more where all namespaces together have too many: the oldest of the one with the most go, so that a
 * few that fill the server lock nobody else out. A hundredth goes at once, so that not every login sorts them.
 * @returns false when no namespace has more than the asking one
 */
export async function makeRoom(
  db: Kysely<Schema>,
  { ofNamespace, total, now }: { readonly ofNamespace: number; readonly total: number; readonly now: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from held_logins where id in (
      select id from (
        select id, tenant_id, created_at, count(*) over (partition by tenant_id) as in_namespace
        from held_logins where approved is null and expires_at > ${now}
      ) as waiting
      where in_namespace > ${ofNamespace}
      order by in_namespace desc, tenant_id, created_at limit ${Math.max(1, Math.floor(total / 100))}
    )`.execute(db)
  return (numAffectedRows ?? 0n) > 0n
}

/**
 * Makes room for a person at a network of theirs: the oldest of their logins goes that waits from a network where they
 * have neither signed in nor proven a factor. Whoever has stolen their key must not lock them out.
 * @param isOfCredential true: of the same credential
 * @returns false when they are at such a network themselves, or nothing waits from one
 */
export async function evictStranger(
  db: Kysely<Schema>,
  { tenant, person, credential, source }: Subject,
  { isOfCredential, now }: { readonly isOfCredential: boolean; readonly now: Date },
): Promise<boolean> {
  if (person === undefined) return false
  const { numAffectedRows } = await sql`with known as (
      select source from known_sources where user_id = ${person}
      union select source from factor_windows join users on users.id = factor_windows.user_id
        and users.token_epoch = factor_windows.token_epoch where factor_windows.user_id = ${person}
    )
    delete from held_logins where ${source} in (select source from known) and id = (
      select id from held_logins where tenant_id = ${tenant} and user_id = ${person} and approved is null
        and expires_at > ${now} and (${!isOfCredential} or credential = ${credential})
        and source not in (select source from known)
      order by created_at, id limit 1
    )`.execute(db)
  return (numAffectedRows ?? 0n) > 0n
}

/** Counts one more client that waits. @returns false when the login is gone or decided */
export async function joinHeld(db: Kysely<Schema>, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('held_logins')
    .set((row) => ({ waiting: row('waiting', '+', 1) }))
    .where('id', '=', id)
    .where('approved', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Counts one client less; the last takes the login with it, unless it is decided. Call it in a transaction.
 * @returns true when the login is gone
 */
export async function leaveHeld(db: Kysely<Schema>, id: string): Promise<boolean> {
  const left = await db
    .updateTable('held_logins')
    .set({ waiting: sql<number>`greatest(waiting - 1, 0)` })
    .where('id', '=', id)
    .where('approved', 'is', null)
    .returning('waiting')
    .executeTakeFirst()
  if (left?.waiting !== 0) return false
  await db.deleteFrom('held_logins').where('id', '=', id).execute()
  return true
}

export async function insertHeld(db: Kysely<Schema>, row: Insertable<HeldLoginsTable>): Promise<void> {
  await db.insertInto('held_logins').values(row).execute()
}

function selectShown(db: Kysely<Schema>, now: Date) {
  return db
    .selectFrom('held_logins')
    .innerJoin('namespaces', 'namespaces.tenant_id', 'held_logins.tenant_id')
    .innerJoin('devices', 'devices.uid', 'held_logins.device_uid')
    .selectAll('held_logins')
    .select(['namespaces.name as namespace', 'devices.name as device_name'])
    .select(
      sql<number>`coalesce((namespaces.settings ->> 'ssh_second_factor_hours')::integer,
        ${LIMITS.sshFactorHours.default}::integer)`.as('hours'),
    )
    .where('held_logins.approved', 'is', null)
    .where('held_logins.expires_at', '>', now)
}

/** Waiting logins of a person's own keys, oldest first. */
export function listHeld(db: Kysely<Schema>, user: UserId, now: Date): Promise<ShownRow[]> {
  return selectShown(db, now)
    .where('held_logins.user_id', '=', user)
    .orderBy('held_logins.created_at')
    .orderBy('held_logins.id')
    .execute()
}

/** The waiting login under a code that a person may decide: their own, or one by password where they are a member. */
export function findHeld(db: Kysely<Schema>, code: string, user: UserId, now: Date): Promise<ShownRow | undefined> {
  return selectShown(db, now)
    .innerJoin('members', 'members.tenant_id', 'held_logins.tenant_id')
    .where('members.user_id', '=', user)
    .where('members.status', '=', 'accepted')
    .where('held_logins.code', '=', code)
    .where((either) => either.or([either('held_logins.user_id', '=', user), either('held_logins.user_id', 'is', null)]))
    .executeTakeFirst()
}

/** Decides a login. @param how.refuses false: a denial of this login only, not of the next one. @returns false when it was decided before or is too late */
export async function decideHeld(
  db: Kysely<Schema>,
  id: string,
  how: { readonly by: UserId; readonly approved: boolean; readonly refuses: boolean; readonly now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('held_logins')
    .set({
      approved: how.approved,
      decided_by: how.by,
      // A denial refuses for some minutes from then on.
      decided_at: how.approved || how.refuses ? how.now : new Date(0),
    })
    .where('id', '=', id)
    .where('approved', 'is', null)
    .where('expires_at', '>', how.now)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Approves whatever waits for a subject, which has proven its factor elsewhere. @returns their ids */
export async function approveWaiting(
  db: Kysely<Schema>,
  { tenant, credential, source }: Subject,
  by: UserId,
  now: Date,
): Promise<string[]> {
  const rows = await db
    .updateTable('held_logins')
    .set({ approved: true, decided_by: by, decided_at: now })
    .where('tenant_id', '=', tenant)
    .where('credential', '=', credential)
    .where('source', '=', source)
    .where('user_id', '=', by)
    .where('approved', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** States of logins; those that are missing here are gone. */
export function readDecisions(
  db: Kysely<Schema>,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly approved: boolean | null }[]> {
  return db.selectFrom('held_logins').select(['id', 'approved']).where('id', 'in', ids).execute()
}

/** Removes what is decided or too late, and windows that no setting keeps open. */
export async function deleteOld(
  db: Kysely<Schema>,
  before: { readonly logins: Date; readonly windows: Date },
): Promise<void> {
  await db.deleteFrom('held_logins').where('expires_at', '<', before.logins).execute()
  await db.deleteFrom('factor_windows').where('opened_at', '<', before.windows).execute()
}
