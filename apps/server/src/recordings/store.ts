// SQL of recordings.
import type { SessionUid } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { RecordingsTable, Schema } from '../db/schema.ts'

export type RecordingRow = Selectable<RecordingsTable>

export async function insertRecording(db: Kysely<Schema>, recording: Insertable<RecordingsTable>): Promise<void> {
  await db.insertInto('recordings').values(recording).execute()
}

export function findRecording(db: Kysely<Schema>, uid: SessionUid, seat: number): Promise<RecordingRow | undefined> {
  return db
    .selectFrom('recordings')
    .selectAll()
    .where('session_uid', '=', uid)
    .where('seat', '=', seat)
    .executeTakeFirst()
}

export async function setRecordingState(
  db: Kysely<Schema>,
  id: string,
  state: RecordingRow['state'],
  bytes: number,
): Promise<void> {
  const ended = state === 'recording' ? null : sql<Date>`now()`
  await db.updateTable('recordings').set({ state, bytes, ended_at: ended }).where('id', '=', id).execute()
}

/** @returns whether there was one */
export async function deleteRecording(db: Kysely<Schema>, id: string): Promise<boolean> {
  const result = await db.deleteFrom('recordings').where('id', '=', id).executeTakeFirst()
  return result.numDeletedRows === 1n
}

export async function hasRecordings(db: Kysely<Schema>, uid: SessionUid): Promise<boolean> {
  const one = await db.selectFrom('recordings').select('id').where('session_uid', '=', uid).limit(1).executeTakeFirst()
  return one !== undefined
}

/** Recordings that a node has not finished. System connection. */
export function listUnfinished(db: Kysely<Schema>, node: string): Promise<RecordingRow[]> {
  return db.selectFrom('recordings').selectAll().where('node', '=', node).where('state', '=', 'recording').execute()
}

/** Which of the ids are those of recordings. System connection. */
export async function findKnownIds(db: Kysely<Schema>, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('recordings')
    .select('id')
    .where('id', '=', sql<string>`any(${ids})`)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
