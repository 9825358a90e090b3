// Use cases of sessions: reports of the gateway and calls of users.
import { fail } from '@bowline/contract/errors'
import type { Input } from '@bowline/contract/operation'
import type { sessions as operations } from '@bowline/contract/operations/sessions'
import type { DeviceUid, SessionUid, TenantId } from '@bowline/contract/schemas/common'
import type { Session } from '@bowline/contract/schemas/session'
import { type SessionIdentity, columnsOf } from './identity.ts'
import type { Kysely } from 'kysely'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { compileFilter } from '../db/lists/filter.ts'
import type { Listing } from '../db/lists/listing.ts'
import { dropBeyondLimit } from './failed-logins.ts'
import {
  type AttemptRow,
  addOutputBytes,
  SESSION_PROPERTIES,
  type SessionCause,
  type SessionRow,
  activateSession,
  closeSession,
  closeSessionsOfNode,
  countActive,
  countTransfers,
  findSession,
  insertEvents,
  insertSession,
  listAttempts,
  listEvents,
  listSessions,
  markAuthenticated,
  markRecorded,
  noteSession,
  touchSessions,
} from './store.ts'
import { describeSession, describeSessions } from './wire.ts'

export type { AttemptRow, SessionCause } from './store.ts'
export { SESSION_PROPERTIES } from './store.ts'
export type { SessionIdentity } from './identity.ts'

/** Characters of a command that a session's row has; its event has more. */
const MAX_COMMAND = 1_024

export async function list(
  ctx: TenantContext,
  query: Input<typeof operations.list>['query'],
): Promise<Listing<Session>> {
  const { rows, total } = await listSessions(ctx.db, {
    where: compileFilter(query.filter, SESSION_PROPERTIES, 'and'),
    sortBy: query.sort_by,
    order: query.order_by,
    limit: query.per_page,
    offset: (query.page - 1) * query.per_page,
  })
  return { items: await describeSessions(ctx, rows), total }
}

/** Sessions since a time that firewall rules may be tried on: newest first. */
export function recentAttempts(ctx: TenantContext, since: Date, limit: number): Promise<AttemptRow[]> {
  return listAttempts(ctx.db, since, limit)
}

/** One session with its events. @throws {BowlineError} NOT_FOUND, also for sessions of other namespaces */
export async function get(ctx: TenantContext, uid: SessionUid): Promise<Session> {
  const session = await describeSession(ctx, await getRow(ctx, uid))
  const items = (await listEvents(ctx.db, uid)).map(({ type, at, data, seat }) => ({
    type,
    timestamp: at.toISOString(),
    data,
    seat,
  }))
  return { ...session, events: { ...session.events, items } }
}

/**
 * Ends the live connection of a session, here or at the node that holds it; provided by the gateway.
 * @returns false if no node that is alive holds one
 */
export type CloseConnection = (
  session: { readonly uid: SessionUid; readonly node: string },
  cause: SessionCause,
) => boolean

/**
 * Ends a session for an administrator.
 * @throws {BowlineError} NOT_FOUND; INVALID_INPUT when the session is with another device
 */
export async function close(
  ctx: TenantContext,
  uid: SessionUid,
  device: DeviceUid,
  closeConnection: CloseConnection,
): Promise<void> {
  const row = await getRow(ctx, uid)
  if (row.device_uid !== device) {
    fail('INVALID_INPUT', { field: 'device', rule: 'is not the device of the session' }, ['device'])
  }
  await audit(ctx, 'session.close', uid, { username: row.username, device, person: row.person })
  const cause: SessionCause = { by: 'admin', reason: 'closed', message: 'An administrator ended the session.' }
  // Without a connection only the row is left to close.
  if (!closeConnection({ uid, node: row.node }, cause) && row.closed_at === null) await endSession(ctx, uid, cause)
}

/**
 * A running web terminal, which somebody may ask to join: whether its person can be asked is known to its node only.
 * @throws {BowlineError} NOT_FOUND, also for sessions of other namespaces; SESSION_NOT_JOINABLE
 */
export async function joinable(
  ctx: TenantContext,
  uid: SessionUid,
): Promise<{ readonly device: DeviceUid; readonly node: string }> {
  const row = await getRow(ctx, uid)
  const no = (reason: string): never => fail('SESSION_NOT_JOINABLE', { reason })
  if (row.closed_at !== null) no('it has ended')
  // An ssh client cannot ask its person: whatever it showed would be among the output of programs.
  if (row.type !== 'web') no('it is a session of an ssh client, which cannot ask its person')
  if (row.person_id === null) no('nobody is known to be in it')
  return { device: row.device_uid, node: row.node }
}

/** Marks a session as authenticated or not; for services. @throws {BowlineError} NOT_FOUND */
export async function setAuthenticated(ctx: TenantContext, uid: SessionUid, authenticated: boolean): Promise<void> {
  const row = await getRow(ctx, uid)
  await ctx.db.transaction().execute(async (db) => {
    await markAuthenticated(db, uid, authenticated)
    const details = { before: row.authenticated, after: authenticated }
    await audit({ ...ctx, db }, 'session.update', uid, details)
  })
}

/** Sets whether the session has a recording. */
export async function setRecorded(ctx: TenantContext, uid: SessionUid, recorded: boolean): Promise<void> {
  await emitSession(ctx, await markRecorded(ctx.db, uid, recorded), 'session.changed')
}

/** Adds the output of an ended seat: total and recorded bytes. */
export async function addOutput(
  ctx: TenantContext,
  uid: SessionUid,
  seat: { readonly output: number; readonly recorded: number },
): Promise<void> {
  await emitSession(ctx, await addOutputBytes(ctx.db, uid, seat), 'session.changed')
}

/** The session's tenant; undefined for an unknown session. @param db system connection */
export async function findTenantOfSession(db: Kysely<Schema>, uid: SessionUid): Promise<TenantId | undefined> {
  return (await findSession(db, uid))?.tenant_id
}

/** The row of a session; undefined when it was deleted. */
export function findSessionOf({ db }: Pick<TenantContext, 'db'>, uid: SessionUid): Promise<SessionRow | undefined> {
  return findSession(db, uid)
}

async function getRow(ctx: TenantContext, uid: SessionUid): Promise<SessionRow> {
  return (await findSession(ctx.db, uid)) ?? fail('NOT_FOUND', { what: 'The session' })
}

/** Number of active sessions in the namespace. */
/** Number of files that the person uploaded or downloaded in a session, as far as its events have them. */
export function countSessionTransfers(ctx: TenantContext, uid: SessionUid): Promise<number> {
  return countTransfers(ctx.db, uid)
}

export function countActiveSessions(ctx: TenantContext): Promise<number> {
  return countActive(ctx.db)
}

export interface NewSession {
  readonly uid: SessionUid
  readonly device: DeviceUid
  readonly username: string
  /** The client's address. */
  readonly address: string
  readonly type: 'web' | 'term'
  /** The server process that holds the connection. */
  readonly node: string
  /** Of the first credential. */
  readonly identity: SessionIdentity
}

/** Opens the row of a session, not yet authenticated: failed logins stay in the list. */
export async function openSession(ctx: TenantContext, session: NewSession): Promise<void> {
  await insertSession(ctx.db, {
    uid: session.uid,
    tenant_id: ctx.tenant,
    device_uid: session.device,
    username: session.username,
    ip_address: session.address,
    ...ctx.locate(session.address),
    type: session.type,
    node: session.node,
    ...columnsOf(session.identity),
  })
}

/** Marks a session active after its credential was accepted. @param identity of that credential */
export async function authenticateSession(
  ctx: TenantContext,
  uid: SessionUid,
  identity: SessionIdentity,
): Promise<void> {
  await emitSession(ctx, await activateSession(ctx.db, uid, columnsOf(identity)), 'session.started')
}

/** Something that happened in a session. */
export interface SessionEventRow {
  readonly type: string
  /** Index of the channel on its connection, from 0. */
  readonly seat: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Facts by the type. */
  readonly data: Readonly<Record<string, string | number | boolean>>
}

/** Adds events to a session and its summary, atomically. Ignores a deleted session. */
export async function noteSessionEvents(
  ctx: TenantContext,
  uid: SessionUid,
  events: readonly SessionEventRow[],
): Promise<void> {
  const term = events.findLast(({ type }) => type === 'pty-req')?.data['term']
  const command = events.find(({ type }) => type === 'exec')?.data['command']
  const watch = events.findLast(({ type }) => type === 'watch' || type === 'watch-end')
  const note = {
    types: [...new Set(events.map(({ type }) => type))],
    seats: [...new Set(events.map(({ seat }) => seat))],
    ...(typeof term === 'string' ? { term } : {}),
    ...(typeof command === 'string' ? { command: command.slice(0, MAX_COMMAND).toWellFormed() } : {}),
    ...(watch ? { watcher: { name: String(watch.data['by']), begins: watch.type === 'watch' } } : {}),
  }
  const session = await ctx.db.transaction().execute(async (db) => {
    const noted = await noteSession(db, uid, note)
    if (!noted) return undefined
    const row = { tenant_id: ctx.tenant, session_uid: uid }
    await insertEvents(
      db,
      events.map(({ type, seat, at, data }) => ({ ...row, type, seat, data, at: new Date(at) })),
    )
    return noted
  })
  await emitSession(ctx, session, 'session.changed')
}

/**
 * Closes a session with its cause; closing twice keeps the first cause. The row of a failed login is dropped above the
 * namespace's hourly limit.
 */
export async function endSession(
  ctx: TenantContext,
  uid: SessionUid,
  cause: SessionCause,
  isRepeated = false,
): Promise<void> {
  const row = await closeSession(ctx.db, uid, cause)
  if (row && (await dropBeyondLimit(ctx, row))) return
  // An earlier attempt may have succeeded with its answer lost: then no event was emitted.
  await emitSession(ctx, row ?? (isRepeated ? await findSession(ctx.db, uid) : undefined), 'session.ended')
}

/** Closes sessions that this node left open before a restart. @param db system connection */
export function closeLostSessions(db: Kysely<Schema>, node: string): Promise<number> {
  return closeSessionsOfNode(db, node, {
    by: 'gateway',
    reason: 'server-restarted',
    message: 'The server that held the connection was restarted.',
  })
}

/** Closes the sessions of a node that was lost. @param db system connection */
export function closeSessionsOfLostNode(db: Kysely<Schema>, node: string): Promise<number> {
  return closeSessionsOfNode(db, node, {
    by: 'gateway',
    reason: 'node-lost',
    message: 'The server that held the connection was lost.',
  })
}

/** Updates `last_seen` of active sessions. @param db system connection */
export function keepSessionsAlive(db: Kysely<Schema>, uids: readonly SessionUid[]): Promise<void> {
  return touchSessions(db, uids)
}

async function emitSession(
  ctx: TenantContext,
  row: SessionRow | undefined,
  type: 'session.started' | 'session.changed' | 'session.ended',
): Promise<void> {
  if (!row || !ctx.hasListeners()) return
  ctx.emit({ type, session: await describeSession(ctx, row) })
}
