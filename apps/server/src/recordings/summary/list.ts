// Recordings with their summaries: of the namespace, and of one session.
import { fail } from '@bowline/contract/errors'
import type { Input } from '@bowline/contract/operation'
import type { recordings as operations } from '@bowline/contract/operations/recordings'
import type { SessionUid } from '@bowline/contract/schemas/common'
import type { ListedRecording } from '@bowline/contract/schemas/recording'
import { sql } from 'kysely'
import type { TenantContext } from '../../context.ts'
import { compileFilter } from '../../db/lists/filter.ts'
import type { Listing } from '../../db/lists/listing.ts'
import { getMany } from '../../devices/service.ts'
import { SESSION_PROPERTIES } from '../../sessions/service.ts'
import { type ListedRow, countRecordings, readRecordings } from './store.ts'

/** Recordings whose sessions match the filter, the latest first. @throws {BowlineError} INVALID_FILTER */
export async function listRecordings(
  ctx: TenantContext,
  query: Input<typeof operations.list>['query'],
): Promise<Listing<ListedRecording>> {
  const where = compileFilter(query.filter, SESSION_PROPERTIES, 'and')
  const page = { limit: query.per_page, offset: (query.page - 1) * query.per_page }
  const [total, rows] = await Promise.all([countRecordings(ctx.db, where), readRecordings(ctx.db, where, page)])
  return { items: await described(ctx, rows), total }
}

/** Of one answer: a connection has few channels with output. */
const MOST_SEATS = 1_000

/** Recordings of a session, by their seats. @throws {BowlineError} NOT_FOUND when it has none, or for those of other namespaces */
export async function listOfSession(ctx: TenantContext, uid: SessionUid): Promise<ListedRecording[]> {
  const page = { limit: MOST_SEATS, offset: 0 }
  const rows = await readRecordings(ctx.db, sql<boolean>`recordings.session_uid = ${uid}`, page)
  if (rows.length === 0) fail('NOT_FOUND', { what: 'The recording' })
  return (await described(ctx, rows)).toSorted((a, b) => a.seat - b.seat)
}

async function described(ctx: TenantContext, rows: readonly ListedRow[]): Promise<ListedRecording[]> {
  const devices = await getMany(ctx, [...new Set(rows.map((row) => row.device_uid))])
  return rows.map((row) => {
    const device = devices.get(row.device_uid)
    return {
      session: row.session_uid,
      seat: row.seat,
      device_uid: row.device_uid,
      device: device ? { uid: device.uid, name: device.name } : null,
      username: row.username,
      ip_address: row.ip_address,
      person: row.person_id && { id: row.person_id, name: row.person },
      state: row.state,
      started_at: row.started_at.toISOString(),
      ended_at: row.ended_at?.toISOString() ?? null,
      bytes: row.bytes,
      command: row.command,
      read: row.indexed !== 'no',
      summary: row.summary,
      closed: row.closed_at && {
        at: row.closed_at.toISOString(),
        by: row.cause_by ?? '',
        reason: row.cause_reason ?? '',
        message: row.cause_message ?? '',
      },
    }
  })
}
