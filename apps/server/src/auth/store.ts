// SQL of sign-in: failed attempts and refresh tokens (system rows), and login keys of namespaces.
import { LIMITS } from '@bowline/contract/limits'
import type { Grant } from '@bowline/contract/roles'
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Insertable, Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { KeyLoginsUnderWayTable, LoginKeysTable, Schema } from '../db/schema.ts'
import type { RefreshTokensTable } from '../db/tables/sign-in-tables.ts'

export type RefreshTokenRow = Selectable<RefreshTokensTable>
export type LoginKeyRow = Selectable<LoginKeysTable>

/** Placeholder source that counts failures over all sources. No real source has this name. */
export const EVERYWHERE = ''

/**
 * End of the lock of a source for a name, in milliseconds since the epoch; 0 when not locked. The lock over all sources
 * does not apply to sources known to the account.
 * @param by.identifier SHA-256 of the name
 * @param by.user '' for an unknown name: the same query runs
 */
export async function findLock(
  db: Kysely<Schema>,
  by: { readonly source: string; readonly identifier: Buffer; readonly user: UserId | '' },
  now: number,
): Promise<number> {
  const { source, identifier, user } = by
  const { rows } = await sql<{ locked_until: Date | null }>`
    select max(locked_until) as locked_until from login_attempts
    where source in (${source}, ${EVERYWHERE}) and identifier = ${identifier} and locked_until > ${new Date(now)}
      and (source <> ${EVERYWHERE}
        or not exists (select from known_sources where user_id = ${user} and source = ${source}))`.execute(db)
  return rows[0]?.locked_until?.getTime() ?? 0
}

/**
 * Counts a failure and returns the number of consecutive ones; concurrent ones count separately.
 * @param rememberedUntil milliseconds since the epoch; provisional until {@link saveLockout}
 */
export async function countFailure(
  db: Kysely<Schema>,
  source: string,
  identifier: Buffer,
  { now, rememberedUntil }: { now: number; rememberedUntil: number },
): Promise<number> {
  const forgotten = sql<boolean>`login_attempts.expires_at <= ${new Date(now)}`
  const row = await db
    .insertInto('login_attempts')
    .values({ source, identifier, attempts: 1, expires_at: new Date(rememberedUntil) })
    .onConflict((conflict) =>
      conflict.columns(['source', 'identifier']).doUpdateSet({
        attempts: sql<number>`case when ${forgotten} then 1 else login_attempts.attempts + 1 end`,
        expires_at: sql<Date>`case when ${forgotten} then excluded.expires_at else login_attempts.expires_at end`,
      }),
    )
    .returning('attempts')
    .executeTakeFirstOrThrow()
  return row.attempts
}

/**
 * Saves the lockout caused by failure number `attempts`, unless a later one has been counted.
 * @param lockout.lockedUntil milliseconds since the epoch, 0 for no lock; by default the lock ends when the failures
 *   are forgotten
 * @param lockout.expiresAt milliseconds since the epoch; unchanged by default
 */
export async function saveLockout(
  db: Kysely<Schema>,
  source: string,
  identifier: Buffer,
  lockout: { attempts: number; lockedUntil?: number; expiresAt?: number },
): Promise<void> {
  const { attempts, lockedUntil, expiresAt } = lockout
  const until = lockedUntil === undefined ? sql<Date>`expires_at` : lockedUntil === 0 ? null : new Date(lockedUntil)
  await db
    .updateTable('login_attempts')
    .set({
      locked_until: until,
      ...(expiresAt === undefined ? {} : { expires_at: new Date(expiresAt) }),
    })
    .where('source', '=', source)
    .where('identifier', '=', identifier)
    .where('attempts', '=', attempts)
    .execute()
}

export async function clearFailures(db: Kysely<Schema>, source: string, identifier: Buffer): Promise<void> {
  await db.deleteFrom('login_attempts').where('source', '=', source).where('identifier', '=', identifier).execute()
}

/** Remembers a source from which a person has signed in. */
/** True if an account has completed a sign-in from a source. */
export async function isKnownSource(db: Kysely<Schema>, user: UserId, source: string): Promise<boolean> {
  const row = await db
    .selectFrom('known_sources')
    .select('source')
    .where('user_id', '=', user)
    .where('source', '=', source)
    .executeTakeFirst()
  return row !== undefined
}

export async function saveKnownSource(db: Kysely<Schema>, user: UserId, source: string, at: Date): Promise<void> {
  await db
    .insertInto('known_sources')
    .values({ user_id: user, source, first_seen: at, last_seen: at })
    .onConflict((conflict) => conflict.columns(['user_id', 'source']).doUpdateSet({ last_seen: at }))
    .execute()
}

/**
 * Ends a sign-in of `POST /api/login` early.
 * @param expiresAt expiry of the last of its tokens
 * @returns false when it was ended before
 */
export async function insertEndedLogin(
  db: Kysely<Schema>,
  ended: { readonly login: string; readonly user: UserId; readonly expiresAt: Date },
): Promise<boolean> {
  const result = await db
    .insertInto('ended_logins')
    .values({ login: ended.login, user_id: ended.user, expires_at: ended.expiresAt })
    .onConflict((conflict) => conflict.column('login').doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export async function insertRefreshToken(db: Kysely<Schema>, token: Insertable<RefreshTokensTable>): Promise<void> {
  await db.insertInto('refresh_tokens').values(token).execute()
}

export function findRefreshToken(db: Kysely<Schema>, hash: Buffer): Promise<RefreshTokenRow | undefined> {
  return db.selectFrom('refresh_tokens').selectAll().where('token_hash', '=', hash).executeTakeFirst()
}

/** Marks a token as exchanged. @returns false when it already was, or is gone */
export async function useRefreshToken(db: Kysely<Schema>, id: string, at: Date): Promise<boolean> {
  const result = await db
    .updateTable('refresh_tokens')
    .set({ used_at: at })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/**
 * Ends a family. Call it in a transaction: the lock waits for an exchange in progress, and the second statement sees
 * what it added.
 */
export async function deleteFamily(db: Kysely<Schema>, family: string): Promise<void> {
  await db.selectFrom('refresh_tokens').select('id').where('family', '=', family).orderBy('id').forUpdate().execute()
  await db.deleteFrom('refresh_tokens').where('family', '=', family).execute()
}

/** Ends every browser session of a person. Call it in a transaction, as {@link deleteFamily}. */
export async function deleteFamiliesOf(db: Kysely<Schema>, user: UserId): Promise<void> {
  await db.selectFrom('refresh_tokens').select('id').where('user_id', '=', user).orderBy('id').forUpdate().execute()
  await db.deleteFrom('refresh_tokens').where('user_id', '=', user).execute()
}

export async function setFamilyTenant(db: Kysely<Schema>, family: string, tenant: TenantId): Promise<void> {
  await db.updateTable('refresh_tokens').set({ tenant }).where('family', '=', family).execute()
}

/** Removes expired rows. @param olderThan times before which known sources and account events are forgotten */
export async function deleteExpired(
  db: Kysely<Schema>,
  now: Date,
  olderThan: { readonly sources: Date; readonly events: Date },
): Promise<void> {
  await db.deleteFrom('refresh_tokens').where('expires_at', '<', now).execute()
  await db.deleteFrom('login_attempts').where('expires_at', '<', now).where('locked_until', 'is', null).execute()
  await db.deleteFrom('login_attempts').where('expires_at', '<', now).where('locked_until', '<', now).execute()
  await db.deleteFrom('pending_sign_ins').where('expires_at', '<', now).execute()
  const forgotten = new Date(now.getTime() - LIMITS.freshProofMinutes * 60_000)
  await db.deleteFrom('fresh_proofs').where('at', '<', forgotten).execute()
  await db.deleteFrom('ended_logins').where('expires_at', '<', now).execute()
  await db.deleteFrom('known_sources').where('last_seen', '<', olderThan.sources).execute()
  await db.deleteFrom('account_events').where('last_at', '<', olderThan.events).execute()
  await db
    .deleteFrom('access_changes')
    .where('at', '<', sql<Date>`now() - interval '10 minutes'`)
    .execute()
}

/** Account state of a token. */
export interface TokenSubject {
  readonly username: string
  readonly epoch: number
  readonly isInstanceAdmin: boolean
  /** Role in the token's namespace; null without a membership. */
  readonly role: string | null
  /** By roles of the token's namespace. */
  readonly grants: readonly Grant[]
  /** Use of the sign-in noted last; null without a row of it. */
  readonly lastSeen: Date | null
  /** False once the browser session or the login has ended. */
  readonly signInLives: boolean
  /** True while the token's namespace is disabled. */
  readonly inDisabledNamespace: boolean
}

/** Account state checked for a token on each request: one query. */
export async function findTokenSubject(
  db: Kysely<Schema>,
  token: {
    readonly user: UserId
    readonly tenant: TenantId | undefined
    readonly family: string | undefined
    readonly login: string | undefined
  },
): Promise<TokenSubject | undefined> {
  const { user, tenant = null, family = null, login = null } = token
  const { rows } = await sql<TokenSubject>`
    select users.username, users.token_epoch as epoch, users.is_instance_admin as "isInstanceAdmin", members.role,
      (select coalesce(json_agg(json_build_object('permissions', own.permissions, 'tags', own.tags)), '[]')
        from member_roles join namespace_roles own on own.tenant_id = member_roles.tenant_id and own.id = role_id
        where member_roles.tenant_id = members.tenant_id and member_roles.user_id = members.user_id) as grants,
      (${family}::uuid is null
        or exists (select from refresh_tokens where family = ${family}::uuid and user_id = users.id))
      and not exists (select from ended_logins where login = ${login}::uuid) as "signInLives",
      (select last_seen from sign_ins where id = ${login}::uuid) as "lastSeen",
      exists (select from namespaces where tenant_id = ${tenant}::uuid and disabled_at is not null)
        as "inDisabledNamespace"
    from users
    left join members on members.user_id = users.id and members.tenant_id = ${tenant}::uuid
      and members.status = 'accepted'
    where users.id = ${user} and users.status = 'confirmed'`.execute(db)
  return rows[0]
}

/** Makes every process look again at what members of a namespace have open. */
export async function insertAccessChangesOf(db: Kysely<Schema>, tenant: TenantId): Promise<void> {
  await sql`insert into access_changes (user_id) select user_id from members where tenant_id = ${tenant}`.execute(db)
}

/** Access changes of the last minute, so that rows committed late by a slow transaction are still seen. */
export function listAccessChanges(db: Kysely<Schema>): Promise<{ id: number; user_id: UserId }[]> {
  return db
    .selectFrom('access_changes')
    .select(['id', 'user_id'])
    .where('at', '>', sql<Date>`now() - interval '1 minute'`)
    .execute()
}

/** The namespace's login key. @param db the tenant's connection */
export function findLoginKey(db: Kysely<Schema>): Promise<LoginKeyRow | undefined> {
  return db.selectFrom('login_keys').selectAll().executeTakeFirst()
}

/** Stores a login key; the first of concurrent writers wins. */
export async function insertLoginKey(db: Kysely<Schema>, key: Insertable<LoginKeysTable>): Promise<void> {
  await db
    .insertInto('login_keys')
    .values(key)
    .onConflict((conflict) => conflict.column('tenant_id').doNothing())
    .execute()
}

/** Stores a login by key that waits for its device, and forgets those of the device that have expired. */
export async function insertKeyLogin(
  db: Kysely<Schema>,
  login: Pick<Insertable<KeyLoginsUnderWayTable>, 'tenant_id' | 'device_uid' | 'username'>,
  lifetimeMs: number,
): Promise<string> {
  await db
    .deleteFrom('key_logins_under_way')
    .where('device_uid', '=', login.device_uid)
    .where('expires_at', '<', sql<Date>`now()`)
    .execute()
  const { id } = await db
    .insertInto('key_logins_under_way')
    .values({ ...login, expires_at: sql<Date>`now() + make_interval(secs => ${lifetimeMs / 1_000})` })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function deleteKeyLogin(db: Kysely<Schema>, id: string): Promise<void> {
  await db.deleteFrom('key_logins_under_way').where('id', '=', id).execute()
}

/** True if a login of the account on the device waits. */
export async function keyLoginWaits(db: Kysely<Schema>, device: DeviceUid, username: string): Promise<boolean> {
  const row = await db
    .selectFrom('key_logins_under_way')
    .select('id')
    .where('device_uid', '=', device)
    .where('username', '=', username)
    .where('expires_at', '>', sql<Date>`now()`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
