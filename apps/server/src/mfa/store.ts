// SQL of the second factor. System rows: no tenant sees them.
import type { UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { SecondStep } from '../auth/pending-sign-ins.ts'
import { countRows } from '../db/lists/count.ts'
import type { AuthenticatorsTable, FactorResetsTable, IssuedSecretsTable } from '../db/tables/factor-tables.ts'
import type { Schema } from '../db/schema.ts'

export type AuthenticatorRow = Selectable<AuthenticatorsTable>

/** Authenticators of an account, oldest first. */
export function listAuthenticators(db: Kysely<Schema>, user: UserId): Promise<AuthenticatorRow[]> {
  return db
    .selectFrom('authenticators')
    .selectAll()
    .where('user_id', '=', user)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function insertAuthenticator(db: Kysely<Schema>, row: Insertable<AuthenticatorsTable>): Promise<void> {
  await db.insertInto('authenticators').values(row).execute()
}

/** @returns the earlier name; undefined when the account has no such authenticator */
export async function renameAuthenticator(
  db: Kysely<Schema>,
  user: UserId,
  id: string,
  name: string,
): Promise<string | undefined> {
  const own = db.selectFrom('authenticators').select('name').where('id', '=', id).where('user_id', '=', user)
  const row = await own.forUpdate().executeTakeFirst()
  if (row) await db.updateTable('authenticators').set({ name }).where('id', '=', id).execute()
  return row?.name
}

/** @returns the name; undefined when the account has no such authenticator */
export async function deleteAuthenticator(db: Kysely<Schema>, user: UserId, id: string): Promise<string | undefined> {
  const row = await db
    .deleteFrom('authenticators')
    .where('id', '=', id)
    .where('user_id', '=', user)
    .returning('name')
    .executeTakeFirst()
  return row?.name
}

/** Uses a step of an authenticator up. @returns false when it, or a later one, has been used */
export async function takeStep(db: Kysely<Schema>, id: string, step: number, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('authenticators')
    .set({ last_step: step, last_used_at: at })
    .where('id', '=', id)
    .where('last_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Remembers a generated secret; the account keeps the newest ones. @param kept how many */
export async function insertIssuedSecret(
  db: Kysely<Schema>,
  row: Insertable<IssuedSecretsTable>,
  kept: number,
): Promise<void> {
  await db.insertInto('issued_secrets').values(row).execute()
  const older = db
    .selectFrom('issued_secrets')
    .select('secret_hash')
    .where('user_id', '=', row.user_id)
    .orderBy('expires_at', 'desc')
    .orderBy('secret_hash')
    .offset(kept)
  await db.deleteFrom('issued_secrets').where('secret_hash', 'in', older).execute()
}

/** Hashes of the recovery codes that were generated with a secret; undefined unless it was issued to the account. */
export async function findIssuedSecret(
  db: Kysely<Schema>,
  user: UserId,
  hash: Buffer,
  now: Date,
): Promise<readonly Buffer[] | undefined> {
  const row = await db
    .selectFrom('issued_secrets')
    .select('code_hashes')
    .where('secret_hash', '=', hash)
    .where('user_id', '=', user)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row?.code_hashes
}

export async function deleteIssuedSecrets(db: Kysely<Schema>, user: UserId): Promise<void> {
  await db.deleteFrom('issued_secrets').where('user_id', '=', user).execute()
}

/** Number of unused recovery codes. */
export function countRecoveryCodes(db: Kysely<Schema>, user: UserId): Promise<number> {
  return countRows(db.selectFrom('recovery_codes').where('user_id', '=', user).where('used_at', 'is', null))
}

export async function hasRecoveryCodes(db: Kysely<Schema>, user: UserId): Promise<boolean> {
  const row = await db.selectFrom('recovery_codes').select('user_id').where('user_id', '=', user).executeTakeFirst()
  return row !== undefined
}

/** Replaces the recovery codes of an account. */
export async function replaceRecoveryCodes(db: Kysely<Schema>, user: UserId, hashes: readonly Buffer[]): Promise<void> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', user).execute()
  if (!hashes.length) return
  await db
    .insertInto('recovery_codes')
    .values(hashes.map((code_hash) => ({ user_id: user, code_hash })))
    .execute()
}

/** Uses a recovery code up. @param user '' for an unknown account: the same statement runs @returns false for a wrong one */
export async function takeRecoveryCode(
  db: Kysely<Schema>,
  user: UserId | '',
  hash: Buffer,
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('recovery_codes')
    .set({ used_at: at })
    .where('user_id', '=', user as UserId)
    .where('code_hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** True for a recovery code that was used after `since`. */
export async function wasRecoveryCodeUsed(
  db: Kysely<Schema>,
  user: UserId,
  hash: Buffer,
  since: Date,
): Promise<boolean> {
  const row = await db
    .selectFrom('recovery_codes')
    .select('used_at')
    .where('user_id', '=', user)
    .where('code_hash', '=', hash)
    .where('used_at', '>', since)
    .executeTakeFirst()
  return row !== undefined
}

/** Removes every authenticator and recovery code of an account, with what was issued or mailed for them. */
export async function deleteFactors(db: Kysely<Schema>, user: UserId): Promise<void> {
  await db.deleteFrom('authenticators').where('user_id', '=', user).execute()
  await db.deleteFrom('recovery_codes').where('user_id', '=', user).execute()
  await deleteIssuedSecrets(db, user)
  await db.deleteFrom('factor_resets').where('user_id', '=', user).execute()
}

/** Saves a reset instead of an earlier one. @returns false when there is one made after `since`, which stays */
export async function saveReset(
  db: Kysely<Schema>,
  reset: Insertable<FactorResetsTable>,
  since: Date,
): Promise<boolean> {
  const { user_id: _, ...values } = reset
  const row = await db
    .insertInto('factor_resets')
    .values(reset)
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet(values).where('factor_resets.created_at', '<=', since),
    )
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Uses a reset up. @returns false unless both codes are those of an unexpired reset */
export async function takeReset(
  db: Kysely<Schema>,
  user: UserId,
  codes: { readonly main: Buffer; readonly recovery: Buffer },
  now: Date,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('factor_resets')
    .where('user_id', '=', user)
    .where('main_hash', '=', codes.main)
    .where('recovery_hash', '=', codes.recovery)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

export async function deleteExpiredFactors(db: Kysely<Schema>, now: Date): Promise<void> {
  await db.deleteFrom('issued_secrets').where('expires_at', '<', now).execute()
  await db.deleteFrom('factor_resets').where('expires_at', '<', now).execute()
  await db.deleteFrom('factor_guesses').where('expires_at', '<', now).execute()
}

/** True if a person has a passkey, which is a second factor beside the password. */
export async function hasPasskey(db: Kysely<Schema>, user: UserId): Promise<boolean> {
  return (await db.selectFrom('passkeys').select('id').where('user_id', '=', user).limit(1).execute()).length > 0
}

/** What a person can finish a sign-in with. */
export async function listSecondSteps(db: Kysely<Schema>, user: UserId): Promise<SecondStep[]> {
  const row = await db
    .selectNoFrom((own) => {
      const has = (table: 'authenticators' | 'passkeys' | 'recovery_codes') =>
        own.selectFrom(table).select(sql.lit(1).as('one')).where('user_id', '=', user)
      return [
        own.exists(has('authenticators')).as('code'),
        own.exists(has('passkeys')).as('passkey'),
        own.exists(has('recovery_codes').where('recovery_codes.used_at', 'is', null)).as('recovery'),
      ]
    })
    .executeTakeFirstOrThrow()
  const steps = { code: row.code, passkey: row.passkey, 'recovery-code': row.recovery }
  return (['code', 'passkey', 'recovery-code'] as const).filter((step) => steps[step])
}

export async function deletePasskeysOf(db: Kysely<Schema>, user: UserId): Promise<void> {
  await db.deleteFrom('passkeys').where('user_id', '=', user).execute()
}
