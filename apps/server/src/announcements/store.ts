// SQL of announcements: rows of the instance, read and written over the system connection.
import type { Kysely, Selectable } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { AnnouncementsTable, Schema } from '../db/schema.ts'

export type AnnouncementRow = Selectable<AnnouncementsTable>

export async function listAnnouncements(
  db: Kysely<Schema>,
  query: { order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: AnnouncementRow[]; total: number }> {
  const rows = await db
    .selectFrom('announcements')
    .selectAll()
    .orderBy('date', query.order)
    .orderBy('uuid')
    .limit(query.limit)
    .offset(query.offset)
    .execute()
  const count = await countRows(db.selectFrom('announcements'))
  return { rows, total: count }
}

export function findAnnouncement(db: Kysely<Schema>, uuid: string): Promise<AnnouncementRow | undefined> {
  return db.selectFrom('announcements').selectAll().where('uuid', '=', uuid).executeTakeFirst()
}

export async function insertAnnouncement(
  db: Kysely<Schema>,
  announcement: { uuid: string; title: string; content: string },
): Promise<void> {
  await db.insertInto('announcements').values(announcement).execute()
}

/** @returns false when no such announcement exists */
export async function deleteAnnouncement(db: Kysely<Schema>, uuid: string): Promise<boolean> {
  const result = await db.deleteFrom('announcements').where('uuid', '=', uuid).executeTakeFirst()
  return result.numDeletedRows === 1n
}
