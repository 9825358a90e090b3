// SQL of sign-ins of programs. System rows.
import type { UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import type { ProgramCodesTable } from '../../db/tables/sign-in-tables.ts'

export type ProgramCodeRow = Selectable<ProgramCodesTable>

export async function insertCode(db: Kysely<Schema>, row: Insertable<ProgramCodesTable>): Promise<void> {
  await db.insertInto('program_codes').values(row).execute()
}

/** Notes a call for the token. @returns the row as it was before, locked; undefined for an unknown code */
export async function pollCode(db: Kysely<Schema>, hash: Buffer, now: Date): Promise<ProgramCodeRow | undefined> {
  const row = await db
    .selectFrom('program_codes')
    .selectAll()
    .where('device_hash', '=', hash)
    .where('expires_at', '>', now)
    .forUpdate()
    .executeTakeFirst()
  if (row) await db.updateTable('program_codes').set({ polled_at: now }).where('device_hash', '=', hash).execute()
  return row
}

export async function deleteCode(db: Kysely<Schema>, hash: Buffer): Promise<void> {
  await db.deleteFrom('program_codes').where('device_hash', '=', hash).execute()
}

/** The code that waits for a decision. */
export function findUndecided(db: Kysely<Schema>, userHash: Buffer, now: Date): Promise<ProgramCodeRow | undefined> {
  return db
    .selectFrom('program_codes')
    .selectAll()
    .where('user_hash', '=', userHash)
    .where('expires_at', '>', now)
    .where('user_id', 'is', null)
    .executeTakeFirst()
}

/** Decides a code. @returns false when it was decided before or is gone */
export async function decideCode(
  db: Kysely<Schema>,
  userHash: Buffer,
  now: Date,
  decision: { readonly user_id: UserId; readonly token_epoch: number; readonly approved: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('program_codes')
    .set(decision)
    .where('user_hash', '=', userHash)
    .where('expires_at', '>', now)
    .where('user_id', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Counts a wrong code of a person. @returns wrong codes since `since` at the latest, this one included */
export async function countGuess(db: Kysely<Schema>, user: UserId, now: Date, since: Date): Promise<number> {
  const row = await db
    .insertInto('program_code_guesses')
    .values({ user_id: user, count: 1, since: now })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({
        count: sql<number>`case when program_code_guesses.since < ${since} then 1
          else program_code_guesses.count + 1 end`,
        since: sql<Date>`case when program_code_guesses.since < ${since} then ${now} else program_code_guesses.since end`,
      }),
    )
    .returning('count')
    .executeTakeFirstOrThrow()
  return row.count
}

/** Wrong codes of a person since `since` at the latest. */
export async function guessesOf(db: Kysely<Schema>, user: UserId, since: Date): Promise<number> {
  const row = await db
    .selectFrom('program_code_guesses')
    .select('count')
    .where('user_id', '=', user)
    .where('since', '>=', since)
    .executeTakeFirst()
  return row?.count ?? 0
}

/** Deletes the codes that a person has decided about and no program has exchanged. */
export async function deleteApprovedCodes(db: Kysely<Schema>, user: UserId): Promise<void> {
  await db.deleteFrom('program_codes').where('user_id', '=', user).execute()
}

export async function deleteExpiredCodes(db: Kysely<Schema>, now: Date): Promise<void> {
  await db.deleteFrom('program_codes').where('expires_at', '<', now).execute()
}
