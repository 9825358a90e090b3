// SQL of saved views and favourite devices.
import type { SavedView } from '@bowline/contract/operations/fleet/views'
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import { type Kysely, type Selectable, type Updateable, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { SavedViewsTable, Schema } from '../db/schema.ts'

type ViewRow = Selectable<SavedViewsTable>

function toView({ id, name, list, user_id: user, query, created_at: created }: ViewRow): SavedView {
  return {
    id,
    name,
    list,
    shared: user === null,
    query: query as SavedView['query'],
    created_at: created.toISOString(),
  }
}

/** Views of the person and of the namespace, by name. */
export async function readViews(db: Kysely<Schema>, user: UserId, list: SavedView['list']): Promise<SavedView[]> {
  const rows = await db
    .selectFrom('saved_views')
    .selectAll()
    .where('list', '=', list)
    .where((view) => view.or([view('user_id', '=', user), view('user_id', 'is', null)]))
    .orderBy(sql`lower(name)`)
    .orderBy('id')
    .execute()
  return rows.map((row) => toView(row))
}

/** Number of views that belong to a person, or for null to the namespace. */
export function countViews(db: Kysely<Schema>, user: UserId | null): Promise<number> {
  return countRows(db.selectFrom('saved_views').where('user_id', 'is not distinct from', user))
}

/** @returns undefined when the name is taken */
export async function insertView(
  db: Kysely<Schema>,
  view: { tenant: TenantId; user: UserId | null; name: string; list: SavedView['list']; query: SavedView['query'] },
): Promise<SavedView | undefined> {
  const { tenant: tenant_id, user: user_id, ...rest } = view
  const row = await db
    .insertInto('saved_views')
    .values({ tenant_id, user_id, ...rest })
    .onConflict((conflict) => conflict.constraint('view_has_a_name_of_its_own').doNothing())
    .returningAll()
    .executeTakeFirst()
  return row && toView(row)
}

/** Whose view it is; undefined when there is none. */
export function findView(db: Kysely<Schema>, id: string): Promise<ViewRow | undefined> {
  return db.selectFrom('saved_views').selectAll().where('id', '=', id).executeTakeFirst()
}

/** True when another view of the same owner and list has the name. */
export async function isNameTaken(db: Kysely<Schema>, { id, user_id, list }: ViewRow, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('saved_views')
    .select('id')
    .where('id', '!=', id)
    .where('list', '=', list)
    .where('name', '=', name)
    .where('user_id', 'is not distinct from', user_id)
    .executeTakeFirst()
  return row !== undefined
}

export async function updateView(db: Kysely<Schema>, id: string, values: Updateable<SavedViewsTable>): Promise<void> {
  await db.updateTable('saved_views').set(values).where('id', '=', id).execute()
}

export async function deleteView(db: Kysely<Schema>, id: string): Promise<void> {
  await db.deleteFrom('saved_views').where('id', '=', id).execute()
}

export async function readFavorites(db: Kysely<Schema>, user: UserId): Promise<DeviceUid[]> {
  const rows = await db.selectFrom('device_favorites').select('device_uid').where('user_id', '=', user).execute()
  return rows.map((row) => row.device_uid)
}

export async function insertFavorite(
  db: Kysely<Schema>,
  favorite: { tenant_id: TenantId; user_id: UserId; device_uid: DeviceUid },
): Promise<void> {
  await db
    .insertInto('device_favorites')
    .values(favorite)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteFavorite(db: Kysely<Schema>, user: UserId, uid: DeviceUid): Promise<void> {
  await db.deleteFrom('device_favorites').where('user_id', '=', user).where('device_uid', '=', uid).execute()
}
