// SQL of sign-in: failed attempts and refresh tokens (system rows), and the login keys of namespaces.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Insertable, Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { LoginKeysTable, RefreshTokensTable, Schema } from '../db/schema.ts'

export type RefreshTokenRow = Selectable<RefreshTokensTable>
export type LoginKeyRow = Selectable<LoginKeysTable>

/** Milliseconds since the epoch until which this source is locked for this user; 0 when it is not. */
export async function findLock(db: Kysely<Schema>, source: string, user: UserId, now: number): Promise<number> {
  const row = await db
    .selectFrom('login_attempts')
    .select('locked_until')
    .where('source', '=', source)
    .where('user_id', '=', user)
    .where('locked_until', '>', new Date(now))
    .executeTakeFirst()
  return row?.locked_until?.getTime() ?? 0
}

/**
 * Counts a failure and answers how many there are in a row; two at once count as two.
 * @param rememberedUntil milliseconds since the epoch; until {@link saveLockout} says better
 */
export async function countFailure(
  db: Kysely<Schema>,
  source: string,
  user: UserId,
  { now, rememberedUntil }: { now: number; rememberedUntil: number },
): Promise<number> {
  const forgotten = sql<boolean>`login_attempts.expires_at <= ${new Date(now)}`
  const row = await db
    .insertInto('login_attempts')
    .values({ source, user_id: user, attempts: 1, expires_at: new Date(rememberedUntil) })
    .onConflict((conflict) =>
      conflict.columns(['source', 'user_id']).doUpdateSet({
        attempts: sql<number>`case when ${forgotten} then 1 else login_attempts.attempts + 1 end`,
        expires_at: sql<Date>`case when ${forgotten} then excluded.expires_at else login_attempts.expires_at end`,
      }),
    )
    .returning('attempts')
    .executeTakeFirstOrThrow()
  return row.attempts
}

/** Saves what the failure that was counted as `attempts` leads to, unless a later one has been counted. */
export async function saveLockout(
  db: Kysely<Schema>,
  source: string,
  user: UserId,
  lockout: { attempts: number; lockedUntil: number; expiresAt: number },
): Promise<void> {
  await db
    .updateTable('login_attempts')
    .set({
      locked_until: lockout.lockedUntil ? new Date(lockout.lockedUntil) : null,
      expires_at: new Date(lockout.expiresAt),
    })
    .where('source', '=', source)
    .where('user_id', '=', user)
    .where('attempts', '=', lockout.attempts)
    .execute()
}

export async function clearFailures(db: Kysely<Schema>, source: string, user: UserId): Promise<void> {
  await db.deleteFrom('login_attempts').where('source', '=', source).where('user_id', '=', user).execute()
}

export async function insertRefreshToken(db: Kysely<Schema>, token: Insertable<RefreshTokensTable>): Promise<void> {
  await db.insertInto('refresh_tokens').values(token).execute()
}

export function findRefreshToken(db: Kysely<Schema>, hash: Buffer): Promise<RefreshTokenRow | undefined> {
  return db.selectFrom('refresh_tokens').selectAll().where('token_hash', '=', hash).executeTakeFirst()
}

/** Marks a token as exchanged. @returns false when it was before, or is gone */
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
 * Ends a family. Call it in a transaction: an exchange that is under way is waited for by the lock, and what it adds is
 * seen by the second statement.
 */
export async function deleteFamily(db: Kysely<Schema>, family: string): Promise<void> {
  await db.selectFrom('refresh_tokens').select('id').where('family', '=', family).orderBy('id').forUpdate().execute()
  await db.deleteFrom('refresh_tokens').where('family', '=', family).execute()
}

/** Ends every browser session of a person. Call it in a transaction, for the reason of {@link deleteFamily}. */
export async function deleteFamiliesOf(db: Kysely<Schema>, user: UserId): Promise<void> {
  await db.selectFrom('refresh_tokens').select('id').where('user_id', '=', user).orderBy('id').forUpdate().execute()
  await db.deleteFrom('refresh_tokens').where('user_id', '=', user).execute()
}

export async function setFamilyTenant(db: Kysely<Schema>, family: string, tenant: TenantId): Promise<void> {
  await db.updateTable('refresh_tokens').set({ tenant }).where('family', '=', family).execute()
}

/** Removes what no longer counts. */
export async function deleteExpired(db: Kysely<Schema>, now: Date): Promise<void> {
  await db.deleteFrom('refresh_tokens').where('expires_at', '<', now).execute()
  await db.deleteFrom('login_attempts').where('expires_at', '<', now).where('locked_until', 'is', null).execute()
  await db.deleteFrom('login_attempts').where('expires_at', '<', now).where('locked_until', '<', now).execute()
}

/** Account state that a token is checked against on each request: one query. */
export async function findTokenSubject(
  db: Kysely<Schema>,
  user: UserId,
  tenant: TenantId | undefined,
  family: string | undefined,
): Promise<{ username: string; epoch: number; role: string | null; familyLives: boolean } | undefined> {
  const { rows } = await sql<{ username: string; epoch: number; role: string | null; family_lives: boolean }>`
    select users.username, users.token_epoch as epoch, members.role,
      ${family ?? null}::uuid is null
        or exists (select from refresh_tokens where family = ${family ?? null}::uuid and user_id = users.id)
        as family_lives
    from users
    left join members on members.user_id = users.id and members.tenant_id = ${tenant ?? null}::uuid
      and members.status = 'accepted'
    where users.id = ${user} and users.status = 'confirmed'`.execute(db)
  const row = rows[0]
  return row && { username: row.username, epoch: row.epoch, role: row.role, familyLives: row.family_lives }
}

/** The namespace's login key. @param db the tenant's connection */
export function findLoginKey(db: Kysely<Schema>): Promise<LoginKeyRow | undefined> {
  return db.selectFrom('login_keys').selectAll().executeTakeFirst()
}

/** Keeps a login key; the first of several writers wins. */
export async function insertLoginKey(db: Kysely<Schema>, key: Insertable<LoginKeysTable>): Promise<void> {
  await db
    .insertInto('login_keys')
    .values(key)
    .onConflict((conflict) => conflict.column('tenant_id').doNothing())
    .execute()
}
