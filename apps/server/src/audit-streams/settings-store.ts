// SQL of audit streams, as members change them.
import { LIMITS } from '@bowline/contract/limits'
import { type Insertable, type Kysely, type Updateable, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { Schema } from '../db/schema.ts'
import type { AuditStreamsTable } from '../db/tables/alert-tables.ts'
import type { StreamRow } from './store.ts'

type Db = Kysely<Schema>

export function listStreams(db: Db): Promise<StreamRow[]> {
  return db.selectFrom('audit_streams').selectAll().orderBy('created_at').orderBy('id').execute()
}

export function findStream(db: Db, id: string): Promise<StreamRow | undefined> {
  return db.selectFrom('audit_streams').selectAll().where('id', '=', id).executeTakeFirst()
}

/** A stream that nothing else changes until the transaction ends. */
export function lockStream(db: Db, id: string): Promise<StreamRow | undefined> {
  return db.selectFrom('audit_streams').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export function countStreams(db: Db): Promise<number> {
  return countRows(db.selectFrom('audit_streams'))
}

/** Adds a stream whose place is the end of the log. */
export function insertStream(db: Db, stream: Omit<Insertable<AuditStreamsTable>, 'position'>): Promise<StreamRow> {
  const position = sql<number>`(select coalesce(max(id), 0) from audit_log)`
  return db
    .insertInto('audit_streams')
    .values({ ...stream, position })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** @param afresh it is tried at once, as one that has not failed */
export function updateStream(
  db: Db,
  id: string,
  values: Updateable<AuditStreamsTable>,
  afresh: boolean,
): Promise<StreamRow> {
  const again = { due_at: sql<Date>`now()`, attempts: 0, failing_since: null, disabled_reason: null }
  return db
    .updateTable('audit_streams')
    .set({ id, ...values, ...(afresh ? again : {}) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** @returns its name; undefined when there is none */
export async function deleteStream(db: Db, id: string): Promise<string | undefined> {
  const row = await db.deleteFrom('audit_streams').where('id', '=', id).returning('name').executeTakeFirst()
  return row?.name
}

/** Entries of the log after a place, counted up to the limit. */
export async function countBehind(db: Db, position: number): Promise<number> {
  const later = db.selectFrom('audit_log').select('id').where('id', '>', position).limit(LIMITS.auditStreams.behind)
  const { count } = await db
    .selectFrom(later.as('later'))
    .select((all) => all.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
