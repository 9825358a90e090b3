// SQL of failed logins.
import type { DeviceUid, SessionUid, TenantId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { DroppedGuessesTable, RepeatedRefusalsTable } from '../db/tables/guess-tables.ts'
import type { Schema } from '../db/schema.ts'

/** Failed logins of the namespace since a time. */
export function countFailedSessions(db: Kysely<Schema>, since: Date): Promise<number> {
  return countRows(db.selectFrom('sessions').where('authenticated', '=', false).where('started_at', '>', since))
}

/** Replaces the row of a failed login by a count. */
export async function dropFailedLogin(
  db: Kysely<Schema>,
  tenant: TenantId,
  uid: SessionUid,
  hour: Date,
): Promise<void> {
  await db.deleteFrom('sessions').where('uid', '=', uid).execute()
  await db
    .insertInto('dropped_guesses')
    .values({ tenant_id: tenant, hour, count: 1 })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'hour']).doUpdateSet({ count: sql<number>`dropped_guesses.count + 1` }),
    )
    .execute()
}

/** Deletes and returns the counts of hours before a time. System connection. */
export function takeDroppedGuesses(db: Kysely<Schema>, before: Date): Promise<Selectable<DroppedGuessesTable>[]> {
  return db.deleteFrom('dropped_guesses').where('hour', '<', before).returningAll().execute()
}

/** Counts a refusal. @returns true if it is the first of its source, device and rule */
export async function countRefusal(
  db: Kysely<Schema>,
  refusal: Insertable<RepeatedRefusalsTable> & { readonly device_uid: DeviceUid },
): Promise<boolean> {
  const row = await db
    .insertInto('repeated_refusals')
    .values(refusal)
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'source', 'device_uid', 'rule'])
        .doUpdateSet({ count: sql<number>`repeated_refusals.count + 1`, details: sql`excluded.details` }),
    )
    .returning('count')
    .executeTakeFirstOrThrow()
  return row.count === 0
}

/** Deletes and returns the refusals that began before a time. System connection. */
export function takeRefusals(db: Kysely<Schema>, before: Date): Promise<Selectable<RepeatedRefusalsTable>[]> {
  return db.deleteFrom('repeated_refusals').where('since', '<', before).returningAll().execute()
}

/** Deletes up to `limit` failed logins from before a time. System connection. @returns their number */
export async function deleteFailedSessions(db: Kysely<Schema>, before: Date, limit: number): Promise<number> {
  const some = db
    .selectFrom('sessions')
    .select('uid')
    .where('authenticated', '=', false)
    .where('started_at', '<', before)
    .where('closed_at', 'is not', null)
    .limit(limit)
  const result = await db.deleteFrom('sessions').where('uid', 'in', some).executeTakeFirst()
  return Number(result.numDeletedRows)
}
