// SQL of announcements: rows of the instance, read and written over the system connection.
import type { UserId } from '@bowline/contract/schemas/common'
import { type Kysely, type Selectable, type Updateable, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { AnnouncementsTable, Schema } from '../db/schema.ts'

export type AnnouncementRow = Selectable<AnnouncementsTable>

interface ListQuery {
  readonly order: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

/** @param at only those that are shown at this time; undefined: all */
export async function listAnnouncements(
  db: Kysely<Schema>,
  query: ListQuery,
  at?: Date,
): Promise<{ rows: AnnouncementRow[]; total: number }> {
  const those = db.selectFrom('announcements').$if(at !== undefined, (all) => all.where(shownAt(at ?? new Date(0))))
  const rows = await those
    .selectAll()
    .orderBy('date', query.order)
    .orderBy('uuid')
    .limit(query.limit)
    .offset(query.offset)
    .execute()
  return { rows, total: await countRows(those) }
}

const shownAt = (at: Date) => sql<boolean>`announcements.date <= ${at} and (ends_at is null or ends_at > ${at})`

/** @param at only if it is shown at this time; undefined: in any case */
export function findAnnouncement(db: Kysely<Schema>, uuid: string, at?: Date): Promise<AnnouncementRow | undefined> {
  return db
    .selectFrom('announcements')
    .selectAll()
    .where('uuid', '=', uuid)
    .$if(at !== undefined, (one) => one.where(shownAt(at ?? new Date(0))))
    .executeTakeFirst()
}

export async function insertAnnouncement(db: Kysely<Schema>, announcement: AnnouncementRow): Promise<void> {
  await db.insertInto('announcements').values(announcement).execute()
}

export async function updateAnnouncement(
  db: Kysely<Schema>,
  uuid: string,
  change: Updateable<AnnouncementsTable>,
): Promise<void> {
  await db.updateTable('announcements').set(change).where('uuid', '=', uuid).execute()
}

/** @returns false when no such announcement exists */
export async function deleteAnnouncement(db: Kysely<Schema>, uuid: string): Promise<boolean> {
  const result = await db.deleteFrom('announcements').where('uuid', '=', uuid).executeTakeFirst()
  return result.numDeletedRows === 1n
}

/** The newest announcement that is shown, unless the person has seen it. */
export async function findUnread(db: Kysely<Schema>, user: UserId, at: Date): Promise<AnnouncementRow | undefined> {
  const newest = db
    .selectFrom('announcements')
    .selectAll()
    .where(shownAt(at))
    .orderBy('date', 'desc')
    .orderBy('uuid')
    .limit(1)
    .as('newest')
  return db
    .selectFrom(newest)
    .selectAll()
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('announcement_reads')
            .select('announcement_reads.uuid')
            .whereRef('announcement_reads.uuid', '=', 'newest.uuid')
            .where('user_id', '=', user),
        ),
      ),
    )
    .executeTakeFirst()
}

export async function insertRead(db: Kysely<Schema>, user: UserId, uuid: string): Promise<void> {
  await db
    .insertInto('announcement_reads')
    .values({ user_id: user, uuid })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
