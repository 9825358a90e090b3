// SQL of the list of recordings.
import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import { countRows } from '../../db/lists/count.ts'
import type { Page } from '../../db/lists/page.ts'
import type { Schema } from '../../db/schema.ts'

const withSessions = (db: Kysely<Schema>, where: Expression<SqlBool> | undefined) =>
  db
    .selectFrom('recordings')
    .innerJoin('sessions', (join) =>
      join
        .onRef('sessions.uid', '=', 'recordings.session_uid')
        .onRef('sessions.tenant_id', '=', 'recordings.tenant_id'),
    )
    .where(where ?? sql<SqlBool>`true`)

const columns = [
  'recordings.id',
  'recordings.session_uid',
  'recordings.seat',
  'recordings.state',
  'recordings.bytes',
  'recordings.started_at',
  'recordings.ended_at',
  'recordings.indexed',
  'recordings.summary',
  'recordings.command',
  'sessions.device_uid',
  'sessions.username',
  'sessions.ip_address',
  'sessions.person_id',
  'sessions.person',
  'sessions.closed_at',
  'sessions.cause_by',
  'sessions.cause_reason',
  'sessions.cause_message',
] as const

export type ListedRow = Awaited<ReturnType<typeof readRecordings>>[number]

/** Recordings of the sessions that a condition selects, the latest first. */
export function readRecordings(db: Kysely<Schema>, where: Expression<SqlBool> | undefined, { limit, offset }: Page) {
  return withSessions(db, where)
    .select(columns)
    .orderBy('recordings.started_at', 'desc')
    .orderBy('recordings.id')
    .limit(limit)
    .offset(offset)
    .execute()
}

export function countRecordings(db: Kysely<Schema>, where: Expression<SqlBool> | undefined): Promise<number> {
  return countRows(withSessions(db, where))
}

/** Whether an audit stream of the namespace tells of recordings, be it paused. System connection. */
export async function areRecordingsStreamed(system: Kysely<Schema>, tenant: string): Promise<boolean> {
  const { rows } = await sql<{ asked: boolean }>`
    select exists (select from audit_streams where tenant_id = ${tenant} and recordings) as asked`.execute(system)
  return rows[0]?.asked === true
}
