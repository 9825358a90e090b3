// Deleted namespaces are hidden from all code until they are restored or removed for good (migrations/0042).
import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

/**
 * Makes the rows of closed namespaces visible to the rest of a transaction. For restoring, removing and exporting them,
 * and for what must not forget them: the accounts of their people and of their payments.
 * @param db in a transaction
 */
export async function showClosed(db: Kysely<Schema>): Promise<void> {
  await sql`select set_config('bowline.closed', 'shown', true)`.execute(db)
}
