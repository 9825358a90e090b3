// Limit on the statements that evaluate a rule: its filter is a member's.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'

/** Cancels each statement of a transaction after so many seconds. */
export async function limitStatements(db: Kysely<Schema>, seconds: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(seconds * 1_000)}, true)`.execute(db)
}
