// SQL of sessions.
import type { SessionSort } from '@bowline/contract/operations/sessions'
import type { SessionUid } from '@bowline/contract/schemas/common'
import {
  type Expression,
  type Insertable,
  type Kysely,
  type Selectable,
  type SqlBool,
  type Updateable,
  sql,
} from 'kysely'
import { countRows } from '../db/lists/count.ts'
import { type Page, readPage } from '../db/lists/page.ts'
import { totalOf } from '../db/lists/row-counts.ts'
import type { Schema } from '../db/schema.ts'
import type { SessionEventsTable, SessionsTable } from '../db/tables/session-tables.ts'
import type { FilterProperties } from '../db/lists/filter.ts'

export type SessionRow = Selectable<SessionsTable>

/** Cause of a session's end. */
export interface SessionCause {
  readonly by: 'user' | 'agent' | 'gateway' | 'admin' | 'policy' | 'network'
  readonly reason: string
  readonly message: string
}

export async function insertSession(db: Kysely<Schema>, session: Insertable<SessionsTable>): Promise<void> {
  await db.insertInto('sessions').values(session).execute()
}

export function findSession(db: Kysely<Schema>, uid: SessionUid): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('uid', '=', uid).executeTakeFirst()
}

/** Filterable properties of sessions. */
export const SESSION_PROPERTIES: FilterProperties = {
  uid: { sql: sql.ref('sessions.uid'), type: 'text' },
  device_uid: { sql: sql.ref('sessions.device_uid'), type: 'text' },
  /** What the device is called now. As a list of devices, which PostgreSQL looks up once and not for each session. */
  device_name: {
    sql: sql.ref('devices.name'),
    type: 'text',
    within: (matches) => sql<SqlBool>`(sessions.device_uid in (select uid from devices where ${matches}))`,
  },
  username: { sql: sql.ref('sessions.username'), type: 'text' },
  ip_address: { sql: sql.ref('sessions.ip_address'), type: 'text' },
  active: { sql: sql.ref('sessions.active'), type: 'boolean' },
  closed: { sql: sql`(sessions.closed_at is not null)`, type: 'boolean' },
  authenticated: { sql: sql.ref('sessions.authenticated'), type: 'boolean' },
  recorded: { sql: sql.ref('sessions.recorded'), type: 'boolean' },
  type: { sql: sql.ref('sessions.type'), type: 'text' },
  started_at: { sql: sql.ref('sessions.started_at'), type: 'time' },
  last_seen: { sql: sql.ref('sessions.last_seen'), type: 'time' },
  person: { sql: sql.ref('sessions.person'), type: 'text' },
  person_id: { sql: sql.ref('sessions.person_id'), type: 'text' },
  person_known: { sql: sql`(sessions.person_id is not null)`, type: 'boolean' },
  method: { sql: sql.ref('sessions.method'), type: 'text' },
  second_factor: { sql: sql.ref('sessions.factor'), type: 'text' },
  fingerprint: { sql: sql.ref('sessions.key_fingerprint'), type: 'text' },
  key_name: { sql: sql.ref('sessions.key_name'), type: 'text' },
  command: { sql: sql.ref('sessions.command'), type: 'text' },
  event_types: { sql: sql.ref('sessions.event_types'), type: 'text-array' },
  /** Everything that the search field of the console looks at, besides the device. */
  words: {
    sql: sql`concat_ws(' ', sessions.username, sessions.person, sessions.ip_address, sessions.key_name,
      sessions.key_fingerprint, sessions.command)`,
    type: 'text',
  },
}

export interface SessionQuery extends Page {
  readonly where: Expression<SqlBool> | undefined
  readonly sortBy: SessionSort
  readonly order: 'asc' | 'desc'
}

/** A page of sessions with the total. */
export function listSessions(
  db: Kysely<Schema>,
  { where, sortBy, order, ...page }: SessionQuery,
): Promise<{ rows: readonly SessionRow[]; total: number }> {
  return readPage(db, page, {
    total: (one) => (where ? countRows(one.selectFrom('sessions').where(where)) : totalOf(one, 'sessions')),
    async read(one, part, opposite) {
      const uids = await selectUids(one, { where, sortBy, order: opposite ? reversed(order) : order, ...part })
      return findInOrder(one, uids)
    },
    isTotalKept: where === undefined,
  })
}

/** A session as firewall rules see it, with what its device is called now. */
export type AttemptRow = Pick<
  SessionRow,
  'uid' | 'device_uid' | 'username' | 'ip_address' | 'started_at' | 'person_id' | 'person' | 'method' | 'type'
> & { readonly name: string; readonly tags: readonly string[] }

/** Sessions that were let in or refused by a firewall rule, newest first; those of removed devices are left out. */
export function listAttempts(db: Kysely<Schema>, since: Date, limit: number): Promise<AttemptRow[]> {
  return db
    .selectFrom('sessions')
    .innerJoin('devices', 'devices.uid', 'sessions.device_uid')
    .select(['sessions.uid', 'device_uid', 'username', 'ip_address', 'started_at', 'person_id', 'person', 'method'])
    .select(['sessions.type', 'devices.name', 'devices.tags'])
    .where('started_at', '>=', since)
    .where((where) => where.or([where('authenticated', '=', true), where('cause_reason', '=', 'firewall')]))
    .orderBy('started_at', 'desc')
    .orderBy('sessions.uid')
    .limit(limit)
    .execute()
}

function reversed(order: 'asc' | 'desc'): 'asc' | 'desc' {
  return order === 'asc' ? 'desc' : 'asc'
}

/**
 * Uids of a page's sessions; by a time and without a filter, from the index alone. Ties are broken by uid in the opposite
 * direction, as in the indexes. Orders by a text sort the whole list, of which only the page's rows are kept: an index for
 * each would be written whenever a session is seen.
 */
export async function selectUids(
  db: Kysely<Schema>,
  { where, sortBy, order, limit, offset }: SessionQuery,
): Promise<SessionUid[]> {
  let select = db.selectFrom('sessions').select('uid')
  if (where) select = select.where(where)
  select = select.orderBy(sortBy, order)
  if (sortBy === 'active') select = select.orderBy('last_seen', order)
  const rows = await select.orderBy('uid', reversed(order)).limit(limit).offset(offset).execute()
  return rows.map((row) => row.uid)
}

/** Sessions in the order of the uids. Rows may have been deleted since the uids were read: those are left out. */
export async function findInOrder(db: Kysely<Schema>, uids: readonly SessionUid[]): Promise<SessionRow[]> {
  if (uids.length === 0) return []
  const found = await db.selectFrom('sessions').selectAll().where('uid', 'in', uids).execute()
  const rows = new Map(found.map((row) => [row.uid, row]))
  return uids.flatMap((uid) => rows.get(uid) ?? [])
}

/** Events of a session in order. */
export function listEvents(db: Kysely<Schema>, uid: SessionUid): Promise<Selectable<SessionEventsTable>[]> {
  return db.selectFrom('session_events').selectAll().where('session_uid', '=', uid).orderBy('id').execute()
}

/** Number of files that a session transferred and noted. */
export async function countTransfers(db: Kysely<Schema>, uid: SessionUid): Promise<number> {
  const { count } = await db
    .selectFrom('session_events')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('session_uid', '=', uid)
    .where('type', '=', 'file')
    .where(sql<boolean>`data->>'operation' in ('upload', 'download')`)
    .executeTakeFirstOrThrow()
  return count
}

export async function markAuthenticated(db: Kysely<Schema>, uid: SessionUid, authenticated: boolean): Promise<void> {
  await db.updateTable('sessions').set({ authenticated }).where('uid', '=', uid).execute()
}

export function markRecorded(db: Kysely<Schema>, uid: SessionUid, recorded: boolean): Promise<SessionRow | undefined> {
  return db.updateTable('sessions').set({ recorded }).where('uid', '=', uid).returningAll().executeTakeFirst()
}

/** @returns the updated row; undefined if it was deleted */
export function addOutputBytes(
  db: Kysely<Schema>,
  uid: SessionUid,
  { output, recorded }: { readonly output: number; readonly recorded: number },
): Promise<SessionRow | undefined> {
  return db
    .updateTable('sessions')
    .set({
      output_bytes: sql<number>`coalesce(output_bytes, 0) + ${output}`,
      recorded_bytes: sql<number>`coalesce(recorded_bytes, 0) + ${recorded}`,
    })
    .where('uid', '=', uid)
    .returningAll()
    .executeTakeFirst()
}

/** @returns the updated row; undefined if it is closed */
export function activateSession(
  db: Kysely<Schema>,
  uid: SessionUid,
  identity: Updateable<SessionsTable>,
): Promise<SessionRow | undefined> {
  return db
    .updateTable('sessions')
    .set({ ...identity, authenticated: true, active: true, last_seen: sql<Date>`now()` })
    .where('uid', '=', uid)
    .where('closed_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

export async function insertEvents(
  db: Kysely<Schema>,
  events: readonly Insertable<SessionEventsTable>[],
): Promise<void> {
  await db.insertInto('session_events').values(events).execute()
}

/** Adds events to a session's summary. @returns the updated row; undefined if it was deleted */
export function noteSession(
  db: Kysely<Schema>,
  uid: SessionUid,
  note: {
    types: readonly string[]
    seats: readonly number[]
    term?: string
    command?: string
    /** Somebody begins or ends to watch. */
    watcher?: { name: string; begins: boolean }
  },
): Promise<SessionRow | undefined> {
  return db
    .updateTable('sessions')
    .set({
      event_types: sql<string[]>`array(select distinct unnest(event_types || ${[...note.types]}::text[]) order by 1)`,
      seats: sql<number[]>`array(select distinct unnest(seats || ${[...note.seats]}::integer[]) order by 1)`,
      ...(note.term === undefined ? {} : { term: note.term }),
      ...(note.command === undefined
        ? {}
        : { command: sql<string>`case when command = '' then ${note.command} else command end` }),
      ...(note.watcher === undefined ? {} : { watchers: watchersWith(note.watcher) }),
    })
    .where('uid', '=', uid)
    .returningAll()
    .executeTakeFirst()
}

/** The session's watchers after one has come, or one has gone; nobody watches a session that is over. */
function watchersWith({ name, begins }: { readonly name: string; readonly begins: boolean }) {
  const place = sql`array_position(watchers, ${name})`
  const others = sql`case when ${place} is null then watchers else watchers[:${place} - 1] || watchers[${place} + 1:] end`
  return sql<
    string[]
  >`case when closed_at is not null then '{}' else ${begins ? sql`watchers || ${name}::text` : others} end`
}

/** Closes a session. @returns the updated row; undefined if it was already closed, which keeps its first cause */
export function closeSession(
  db: Kysely<Schema>,
  uid: SessionUid,
  cause: SessionCause,
): Promise<SessionRow | undefined> {
  return db
    .updateTable('sessions')
    .set(closedBy(cause))
    .where('uid', '=', uid)
    .where('closed_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** Closes every session that a node left open before a restart. System connection. @returns their number */
export async function closeSessionsOfNode(db: Kysely<Schema>, node: string, cause: SessionCause): Promise<number> {
  const result = await db
    .updateTable('sessions')
    .set(closedBy(cause))
    .where('node', '=', node)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}

/** Updates `last_seen` of a node's active sessions. System connection. */
export async function touchSessions(db: Kysely<Schema>, uids: readonly SessionUid[]): Promise<void> {
  if (uids.length === 0) return
  await db
    .updateTable('sessions')
    .set({ last_seen: sql<Date>`now()` })
    .where('uid', '=', sql<SessionUid>`any(${uids})`)
    .where('closed_at', 'is', null)
    .execute()
}

export function countActive(db: Kysely<Schema>): Promise<number> {
  return countRows(db.selectFrom('sessions').where('active', '=', true))
}

function closedBy(cause: SessionCause) {
  return {
    active: false,
    watchers: [],
    closed_at: sql<Date>`now()`,
    last_seen: sql<Date>`now()`,
    cause_by: cause.by,
    cause_reason: cause.reason,
    cause_message: cause.message.slice(0, 512),
  }
}
