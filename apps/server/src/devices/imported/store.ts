// SQL of devices that came from another server.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, sql } from 'kysely'
import type { DevicesTable, Schema } from '../../db/schema.ts'

/** Inserts a device that has never connected here. @returns false when it has registered meanwhile */
export async function insertImported(
  db: Kysely<Schema>,
  device: Omit<Insertable<DevicesTable>, 'disconnected_at' | 'last_seen'> & { readonly last_seen: Date | undefined },
): Promise<boolean> {
  const { last_seen: seen, ...values } = device
  const lastSeen = seen === undefined ? sql<Date>`now()` : sql<Date>`least(${seen}::timestamptz, now())`
  const row = await db
    .insertInto('devices')
    .values({ ...values, last_seen: lastSeen, disconnected_at: lastSeen })
    .onConflict((conflict) => conflict.column('uid').doNothing())
    .returning('uid')
    .executeTakeFirst()
  return row !== undefined
}

/** Remembers that a device came from another server; the first time counts. */
export async function markImported(db: Kysely<Schema>, uid: DeviceUid, at: Date): Promise<void> {
  await db
    .updateTable('devices')
    .set({ imported_at: at })
    .where('uid', '=', uid)
    .where('imported_at', 'is', null)
    .execute()
}

/**
 * Those of the devices that came from another server and have no agent of ours, with their namespaces; others, and those of
 * deleted namespaces, are omitted.
 * @param system system connection
 */
export async function findImported(
  system: Kysely<Schema>,
  uids: readonly DeviceUid[],
): Promise<{ uid: DeviceUid; tenant: TenantId }[]> {
  return system
    .selectFrom('devices')
    .innerJoin('namespaces', 'namespaces.tenant_id', 'devices.tenant_id')
    .select(['devices.uid', 'devices.tenant_id as tenant'])
    .where('devices.uid', '=', sql<DeviceUid>`any(${[...uids]}::text[])`)
    .where('devices.imported_at', 'is not', null)
    .where('devices.signed_at', 'is', null)
    .execute()
}
