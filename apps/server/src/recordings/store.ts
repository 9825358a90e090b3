// SQL of recordings.
import type { DeviceUid, SessionUid, UserId } from '@bowline/contract/schemas/common'
import type { RecordingSummary } from '@bowline/contract/schemas/recording'
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { RecordingPassagesTable, RecordingsTable } from '../db/tables/recording-tables.ts'
import type { Passage } from './text/passages.ts'
import { toVector } from './text/words.ts'

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

/** Sets the state of its file. A changed file supersedes the store's earlier version. */
export async function setRecordingState(
  db: Kysely<Schema>,
  id: string,
  state: RecordingRow['state'],
  bytes: number,
): Promise<void> {
  const ended = state === 'recording' ? null : sql<Date>`now()`
  const place = sql<'file' | 'leaving'>`case place when 'file' then 'file' else 'leaving' end`
  const values = { state, bytes, ended_at: ended, indexed: 'no' as const, place }
  await db.updateTable('recordings').set(values).where('id', '=', id).execute()
}

export function findRecordingById(db: Kysely<Schema>, id: string): Promise<RecordingRow | undefined> {
  return db.selectFrom('recordings').selectAll().where('id', '=', id).executeTakeFirst()
}

/** @returns true if it existed */
export async function deleteRecording(db: Kysely<Schema>, id: string): Promise<boolean> {
  const result = await db.deleteFrom('recordings').where('id', '=', id).executeTakeFirst()
  return result.numDeletedRows === 1n
}

export async function hasRecordings(db: Kysely<Schema>, uid: SessionUid): Promise<boolean> {
  const one = await db.selectFrom('recordings').select('id').where('session_uid', '=', uid).limit(1).executeTakeFirst()
  return one !== undefined
}

/** Finished recordings past their namespace's retention. System connection. */
export function listExpired(db: Kysely<Schema>, now: Date, limit: number): Promise<RecordingRow[]> {
  const days = sql<number>`(namespaces.settings->>'recording_retention_days')::integer`
  return db
    .selectFrom('recordings')
    .innerJoin('namespaces', 'namespaces.tenant_id', 'recordings.tenant_id')
    .selectAll('recordings')
    .where('recordings.state', '<>', 'recording')
    .where(days, '>', 0)
    .where('recordings.ended_at', '<', sql<Date>`${now}::timestamptz - make_interval(days => ${days})`)
    .limit(limit)
    .execute()
}

/** Recordings that a node has not finished. System connection. */
export function listUnfinished(db: Kysely<Schema>, node: string): Promise<RecordingRow[]> {
  return db.selectFrom('recordings').selectAll().where('node', '=', node).where('state', '=', 'recording').execute()
}

/** Ids that belong to recordings. System connection. */
export async function findKnownIds(db: Kysely<Schema>, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('recordings')
    .select('id')
    .where('id', '=', sql<string>`any(${ids})`)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Finished unindexed recordings of a node; posted ones after a delay in which they may grow. System connection. */
export function listUnindexed(db: Kysely<Schema>, node: string, limit: number): Promise<RecordingRow[]> {
  return db
    .selectFrom('recordings')
    .selectAll()
    .where('node', '=', node)
    .where('indexed', '=', 'no')
    .where('state', '<>', 'recording')
    .where(sql<boolean>`(not posted or ended_at < now() - interval '5 seconds')`)
    .orderBy('ended_at')
    .limit(limit)
    .execute()
}

/** Their words are made in between: sessions go on meanwhile. */
const ROWS_AT_ONCE = 50

interface Indexed {
  readonly passages: readonly Passage[]
  readonly summary: RecordingSummary
  /** Called in the same transaction. */
  readonly completed?: ((db: Kysely<Schema>, row: RecordingRow, summary: RecordingSummary) => Promise<void>) | undefined
}

/**
 * Marks a recording as indexed and stores its text and its summary, unless it has changed meanwhile. System connection.
 * @param read undefined if it cannot be indexed
 */
export async function setIndexed(db: Kysely<Schema>, row: RecordingRow, read: Indexed | undefined): Promise<void> {
  const { passages, summary, completed } = read ?? {}
  const { id: recording_id, tenant_id, command, ended_at } = row
  const ran: readonly Passage[] = command === '' ? [] : [{ kind: 'command', atMs: 0, text: command }]
  const found = [...ran, ...(passages ?? [])]
  const valuesOf = ({ atMs, text, kind }: Passage) => {
    const words = toVector(text, tenant_id)
    return { tenant_id, recording_id, kind: kind ?? ('output' as const), at_ms: Math.floor(atMs), text, words }
  }
  await db.transaction().execute(async (inner) => {
    const { numUpdatedRows } = await inner
      .updateTable('recordings')
      .set({ indexed: passages ? 'yes' : 'failed', summary: summary ? JSON.stringify(summary) : null })
      .where('id', '=', recording_id)
      .where('ended_at', '=', ended_at)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return
    await inner.deleteFrom('recording_passages').where('recording_id', '=', recording_id).execute()
    for (let from = 0; from < found.length; from += ROWS_AT_ONCE) {
      const values = found.slice(from, from + ROWS_AT_ONCE).map(valuesOf)
      await inner.insertInto('recording_passages').values(values).execute()
    }
    if (summary) await completed?.(inner, row, summary)
  })
}

/** Commands that the shell of a recording has marked, in order. The one of a session without a shell is at 0. */
export async function listTypedCommands(
  db: Kysely<Schema>,
  recording: string,
): Promise<{ atMs: number; text: string }[]> {
  const rows = await db
    .selectFrom('recording_passages')
    .select(['at_ms', 'text'])
    .where('recording_id', '=', recording)
    .where('kind', '=', 'command')
    .where('at_ms', '>', 0)
    .orderBy('at_ms')
    .orderBy('id')
    .execute()
  return rows.map(({ at_ms, text }) => ({ atMs: at_ms, text }))
}

/** Finished recordings of a node to be uploaded, by id. System connection. @param after id of the last one */
export function listToStore(
  db: Kysely<Schema>,
  node: string,
  after: string | undefined,
  limit: number,
): Promise<RecordingRow[]> {
  return notStored(db, node)
    .selectAll()
    .where('indexed', '<>', 'no')
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Number of a node's finished recordings that are not in the store. System connection. */
export async function countToStore(db: Kysely<Schema>, node: string): Promise<number> {
  const { count } = await notStored(db, node)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

function notStored(db: Kysely<Schema>, node: string) {
  return db
    .selectFrom('recordings')
    .where('node', '=', node)
    .where('place', '<>', 'object')
    .where('state', '<>', 'recording')
}

/**
 * Sets the place of a finished recording, unless it has changed or was deleted meanwhile. System connection.
 * @returns true if it was set
 */
export async function setPlace(db: Kysely<Schema>, row: RecordingRow, place: 'leaving' | 'object'): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('recordings')
    .set({ place })
    .where('id', '=', row.id)
    .where('ended_at', '=', row.ended_at)
    .where('bytes', '=', row.bytes)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Ids of the recordings that are in the store. System connection. */
export async function findStoredIds(db: Kysely<Schema>, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('recordings')
    .select('id')
    .where('id', '=', sql<string>`any(${ids})`)
    .where('place', '=', 'object')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Ids to be deleted from the store, ordered. System connection. @param after the last one */
export async function listRemoved(db: Kysely<Schema>, after: string | undefined, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('removed_recordings')
    .select('id')
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** System connection. */
export async function rememberRemoved(db: Kysely<Schema>, id: string): Promise<void> {
  await db
    .insertInto('removed_recordings')
    .values({ id })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** System connection. */
export async function forgetRemoved(db: Kysely<Schema>, id: string): Promise<void> {
  await db.deleteFrom('removed_recordings').where('id', '=', id).execute()
}

export interface PassageRow extends Pick<Selectable<RecordingPassagesTable>, 'kind' | 'at_ms' | 'text'> {
  readonly session_uid: SessionUid
  readonly seat: number
  readonly started_at: Date
  readonly device_uid: DeviceUid
  readonly username: string
}

/** Passages that match the query, newest first, those of one session in its order, with their count, up to `most`. */
export async function findPassages(
  db: Kysely<Schema>,
  wanted: {
    /** Text form of a tsquery. */
    readonly query: string
    readonly session?: SessionUid | undefined
    readonly device?: DeviceUid | undefined
    readonly person?: UserId | undefined
    readonly from?: string | undefined
    readonly to?: string | undefined
    readonly limit: number
    readonly offset: number
    readonly most: number
  },
): Promise<{ rows: readonly PassageRow[]; total: number }> {
  const { query, session = null, device = null, person = null, from = null, to = null } = wanted
  const found = (limit: number, offset: number) =>
    sql`search_passages(${query}::tsquery, ${session}, ${device}, ${person}, ${from}::timestamptz, ${to}::timestamptz,
      ${limit}, ${offset})`
  // Newest first is how the function ends early; of one session there are few enough to sort all of them.
  const [page, order] =
    session === null
      ? [found(wanted.limit, wanted.offset), sql`order by passage.id desc`]
      : [
          found(wanted.most, 0),
          sql`order by recording.started_at + passage.at_ms * interval '1 millisecond', passage.id
            limit ${wanted.limit} offset ${wanted.offset}`,
        ]
  const { rows } = await sql<PassageRow>`
    select passage.kind, passage.at_ms, passage.text, recording.session_uid, recording.seat, recording.started_at,
        session.device_uid, session.username
      from ${page} passage
      join recordings recording on recording.id = passage.recording_id
      join sessions session on session.tenant_id = recording.tenant_id and session.uid = recording.session_uid
      ${order}`.execute(db)
  const counted = await sql<{ count: number }>`select count(*) from ${found(wanted.most, 0)}`.execute(db)
  return { rows, total: counted.rows[0]?.count ?? 0 }
}
