// Rows of removed devices, which keep their slot for a while (cloud without a subscription), and what is counted against
// the device limit.
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { DevicesTable, JsonObject, Schema } from '../../db/schema.ts'

/** Stores a removed device, so that it may return (cloud without a subscription). */
export async function keepRemoved(db: Kysely<Schema>, device: Selectable<DevicesTable>, at: Date): Promise<void> {
  await db
    .insertInto('removed_devices')
    .values({ tenant_id: device.tenant_id, uid: device.uid, removed_at: at, device: { ...device } })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'uid']).doUpdateSet({ removed_at: at }))
    .execute()
}

/** Forgets a removed device. @returns true if it was stored */
export async function forgetRemoved(db: Kysely<Schema>, uid: DeviceUid): Promise<boolean> {
  const result = await db.deleteFrom('removed_devices').where('uid', '=', uid).executeTakeFirst()
  return result.numDeletedRows === 1n
}

export interface RemovedRow {
  readonly uid: DeviceUid
  readonly removed_at: Date
  readonly device: JsonObject
}

/** Devices removed since a time, latest first. */
export function listRemoved(db: Kysely<Schema>, since: Date): Promise<RemovedRow[]> {
  return db
    .selectFrom('removed_devices')
    .select(['uid', 'removed_at', 'device'])
    .where('removed_at', '>', since)
    .orderBy('removed_at', 'desc')
    .orderBy('uid')
    .execute()
}

export interface Slots {
  /** Accepted devices and containers. */
  readonly accepted: number
  readonly removed: readonly DeviceUid[]
}

/**
 * Accepted devices, and those removed since a time, of one moment: a removal that is committed between two queries
 * would be in neither.
 * @param since undefined: no removed device counts
 */
export async function readSlots(db: Kysely<Schema>, since: Date | undefined): Promise<Slots> {
  return db
    .selectNoFrom((own) => {
      const accepted = own
        .selectFrom('row_counts')
        .where('list', 'in', ['devices', 'containers'])
        .where('status', '=', 'accepted')
        .select(sql<number>`coalesce(sum(difference), 0)::bigint`.as('total'))
      const removed = own
        .selectFrom('removed_devices')
        .select('uid')
        .where('removed_at', '>', since ?? null)
      return [sql<number>`(${accepted})`.as('accepted'), sql<DeviceUid[]>`array(${removed})`.as('removed')]
    })
    .executeTakeFirstOrThrow()
}

/** Device limit of the connection's namespace; 0: unlimited. */
export async function readDeviceLimit(db: Kysely<Schema>): Promise<number> {
  const row = await db.selectFrom('namespaces').select('max_devices').executeTakeFirst()
  return row?.max_devices ?? 0
}
