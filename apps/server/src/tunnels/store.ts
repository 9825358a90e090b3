// SQL of tunnels.
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Insertable, Kysely, Selectable } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { Schema, TunnelsTable } from '../db/schema.ts'

export type TunnelRow = Selectable<TunnelsTable>

export async function listTunnels(
  db: Kysely<Schema>,
  device: DeviceUid,
  page: { limit: number; offset: number },
): Promise<{ rows: TunnelRow[]; total: number }> {
  const base = db.selectFrom('tunnels').where('device_uid', '=', device)
  const rows = await base
    .selectAll()
    .orderBy('created_at')
    .orderBy('address')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  const count = await countRows(base)
  return { rows, total: count }
}

/** Locks the device to serialise counting and creating its tunnels. @returns true if it exists */
export async function lockTunnelDevice(db: Kysely<Schema>, device: DeviceUid): Promise<boolean> {
  const row = await db.selectFrom('devices').select('uid').where('uid', '=', device).forUpdate().executeTakeFirst()
  return row !== undefined
}

/** Number of a device's live tunnels, except the one with this address. */
export function countOthers(db: Kysely<Schema>, device: DeviceUid, address: string, now: Date): Promise<number> {
  return countRows(
    db
      .selectFrom('tunnels')
      .where('device_uid', '=', device)
      .where('address', '!=', address)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)])),
  )
}

/** Creates a tunnel or renews the existing one. */
export function upsertTunnel(db: Kysely<Schema>, tunnel: Insertable<TunnelsTable>): Promise<TunnelRow> {
  return db
    .insertInto('tunnels')
    .values(tunnel)
    .onConflict((conflict) =>
      conflict
        .column('address')
        .doUpdateSet({ ttl_seconds: tunnel.ttl_seconds, expires_at: tunnel.expires_at ?? null }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** @returns false when the device has no such tunnel */
export async function deleteTunnel(db: Kysely<Schema>, device: DeviceUid, address: string): Promise<boolean> {
  const result = await db
    .deleteFrom('tunnels')
    .where('device_uid', '=', device)
    .where('address', '=', address)
    .executeTakeFirst()
  return result.numDeletedRows === 1n
}
