// Use cases of announcements: everybody reads them, the command line writes them.
import { fail } from '@bowline/contract/errors'
import { type Announcement, AnnouncementTitle, type AnnouncementShort } from '@bowline/contract/schemas/announcement'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Schema } from '../db/schema.ts'
import { parseInput } from '../platform/input/parse-input.ts'
import type { Listing } from '../db/lists/listing.ts'
import type { Ids } from '../platform/ids.ts'
import {
  type AnnouncementRow,
  deleteAnnouncement,
  findAnnouncement,
  insertAnnouncement,
  listAnnouncements,
} from './store.ts'

export async function list(
  db: Kysely<Schema>,
  query: { page: number; per_page: number; order_by: 'asc' | 'desc' },
): Promise<Listing<AnnouncementShort>> {
  const { rows, total } = await listAnnouncements(db, {
    order: query.order_by,
    limit: query.per_page,
    offset: (query.page - 1) * query.per_page,
  })
  return { items: rows.map((row) => toShort(row)), total }
}

/** @throws {BowlineError} NOT_FOUND */
export async function get(db: Kysely<Schema>, uuid: string): Promise<Announcement> {
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(uuid)
  const row = (isUuid && (await findAnnouncement(db, uuid))) || fail('NOT_FOUND', { what: 'The announcement' })
  return { ...toShort(row), content: row.content }
}

/**
 * @param content Markdown
 * @returns uuid of the new announcement
 * @throws {BowlineError} INVALID_INPUT for the title
 */
export async function create(db: Kysely<Schema>, ids: Ids, title: string, content: string): Promise<string> {
  const uuid = ids.uuid()
  const valid = parseInput('body', z.object({ title: AnnouncementTitle }), { title })
  await insertAnnouncement(db, { uuid, title: valid.title, content })
  return uuid
}

/** @throws {BowlineError} NOT_FOUND */
export async function remove(db: Kysely<Schema>, uuid: string): Promise<void> {
  await get(db, uuid)
  await deleteAnnouncement(db, uuid)
}

function toShort(row: AnnouncementRow): AnnouncementShort {
  return { uuid: row.uuid, title: row.title, date: row.date.toISOString() }
}
