// Use cases of announcements: administrators of the instance write them, everybody reads those that are shown.
import type { Clock } from '@bowline/base/clock'
import { fail } from '@bowline/contract/errors'
import {
  type Announcement,
  type AnnouncementChange,
  type AnnouncementFields,
  type AnnouncementShort,
  type ManagedAnnouncement,
} from '@bowline/contract/schemas/announcement'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Listing } from '../db/lists/listing.ts'
import type { Schema } from '../db/schema.ts'
import type { Ids } from '../platform/ids.ts'
import {
  type AnnouncementRow,
  deleteAnnouncement,
  findAnnouncement,
  findUnread,
  insertAnnouncement,
  insertRead,
  listAnnouncements,
  updateAnnouncement,
} from './store.ts'

export interface AnnouncementDeps {
  /** System connection. */
  readonly system: Kysely<Schema>
  readonly clock: Clock
  readonly ids: Ids
}

interface PageQuery {
  readonly page: number
  readonly per_page: number
}

/** Announcements that are shown now. */
export async function list(
  { system, clock }: AnnouncementDeps,
  query: PageQuery & { order_by: 'asc' | 'desc' },
): Promise<Listing<AnnouncementShort>> {
  const page = pageOf(query, query.order_by)
  const { rows, total } = await listAnnouncements(system, page, new Date(clock.now()))
  return { items: rows.map((row) => toShort(row)), total }
}

/** @throws {BowlineError} NOT_FOUND, also for one that is not shown yet or any more */
export async function get({ system, clock }: AnnouncementDeps, uuid: string): Promise<Announcement> {
  const row = isUuid(uuid) ? await findAnnouncement(system, uuid, new Date(clock.now())) : undefined
  return row ? { ...toShort(row), content: row.content } : missing()
}

/** All announcements, the newest first. */
export async function listAll(
  { system, clock }: AnnouncementDeps,
  query: PageQuery,
): Promise<Listing<ManagedAnnouncement>> {
  const { rows, total } = await listAnnouncements(system, pageOf(query, 'desc'))
  return { items: rows.map((row) => toManaged(row, clock.now())), total }
}

/** @throws {BowlineError} INVALID_INPUT for an end that does not follow the beginning */
export async function create(
  { system, clock, ids }: AnnouncementDeps,
  { title, content, date, ends_at: end }: AnnouncementFields,
): Promise<ManagedAnnouncement> {
  const row: AnnouncementRow = {
    uuid: ids.uuid(),
    title,
    content,
    date: new Date(date ?? clock.now()),
    ends_at: end ? new Date(end) : null,
  }
  requireOrder(row)
  await insertAnnouncement(system, row)
  return toManaged(row, clock.now())
}

/** @throws {BowlineError} NOT_FOUND, INVALID_INPUT for an end that does not follow the beginning */
export async function update(
  { system, clock }: AnnouncementDeps,
  uuid: string,
  { title, content, date, ends_at: end }: AnnouncementChange,
): Promise<ManagedAnnouncement> {
  const row = await system.transaction().execute(async (db) => {
    const before = (isUuid(uuid) ? await findAnnouncement(db, uuid) : undefined) ?? missing()
    const after: AnnouncementRow = {
      uuid,
      title: title ?? before.title,
      content: content ?? before.content,
      date: date === undefined ? before.date : new Date(date),
      ends_at: end === undefined ? before.ends_at : end === null ? null : new Date(end),
    }
    requireOrder(after)
    await updateAnnouncement(db, uuid, after)
    return after
  })
  return toManaged(row, clock.now())
}

/** @throws {BowlineError} NOT_FOUND */
export async function remove({ system }: AnnouncementDeps, uuid: string): Promise<void> {
  if (!isUuid(uuid) || !(await deleteAnnouncement(system, uuid))) missing()
}

/** The newest announcement that is shown, unless the person has seen it. */
export async function unread({ system, clock }: AnnouncementDeps, user: UserId): Promise<AnnouncementShort[]> {
  const row = await findUnread(system, user, new Date(clock.now()))
  return row ? [toShort(row)] : []
}

/** @throws {BowlineError} NOT_FOUND, also for one that is not shown yet or any more */
export async function markRead(deps: AnnouncementDeps, user: UserId, uuid: string): Promise<void> {
  await get(deps, uuid)
  await insertRead(deps.system, user, uuid)
}

function requireOrder({ date, ends_at: end }: AnnouncementRow): void {
  if (end && end <= date) fail('INVALID_INPUT', { field: 'ends_at', rule: 'must be after date' }, ['ends_at'])
}

function pageOf({ page, per_page: limit }: PageQuery, order: 'asc' | 'desc') {
  return { order, limit, offset: (page - 1) * limit }
}

function toShort(row: AnnouncementRow): AnnouncementShort {
  return { uuid: row.uuid, title: row.title, date: row.date.toISOString() }
}

function toManaged(row: AnnouncementRow, now: number): ManagedAnnouncement {
  const end = row.ends_at
  const state = row.date.getTime() > now ? 'scheduled' : end && end.getTime() <= now ? 'ended' : 'shown'
  return { ...toShort(row), content: row.content, ends_at: end?.toISOString() ?? null, state }
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

const missing = (): never => fail('NOT_FOUND', { what: 'The announcement' })
