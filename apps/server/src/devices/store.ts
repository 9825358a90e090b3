// SQL of devices. Functions with a tenant's connection see that tenant's rows; presence has its own file.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { DeviceStatus } from '@bowline/contract/schemas/device'
import type { DeviceHealth } from '@bowline/contract/schemas/fleet/health'
import { type Insertable, type Kysely, type Selectable, type Updateable, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import { devicesByStatus, totalOf } from '../db/lists/row-counts.ts'
import type { DevicesTable, Schema } from '../db/schema.ts'
import { healthOfDevice } from '../device-health/troubles-store.ts'
import { online } from '../db/lists/online.ts'

export type DeviceRow = Selectable<DevicesTable> & {
  namespace: string
  online: boolean
  /** When the node that holds the link was alive; null while no node does. */
  held_at: Date | null
  /** By its last report; null: it has never reported. */
  health: DeviceHealth | null
}

/** When the node that holds the link was alive; null while no node does. */
const heldAt = sql<Date | null>`(select beat.heartbeat_at from node_heartbeats() beat
  where beat.id = devices.link_node and devices.disconnected_at is null)`

function selectDevices(db: Kysely<Schema>) {
  return db
    .selectFrom('devices')
    .innerJoin('namespaces', 'namespaces.tenant_id', 'devices.tenant_id')
    .selectAll('devices')
    .select(['namespaces.name as namespace', online.as('online'), heldAt.as('held_at'), healthOfDevice.as('health')])
}

/** Containers are devices of the connector's platform; each list excludes the other kind. */
export type DeviceKind = 'devices' | 'containers'

/** Pending devices first registered before `before`, oldest first. */
export function listPendingSince(db: Kysely<Schema>, before: Date): Promise<{ uid: DeviceUid; name: string }[]> {
  return db
    .selectFrom('devices')
    .select(['uid', 'name'])
    .where('status', '=', 'pending')
    .where('created_at', '<', before)
    .orderBy('created_at')
    .orderBy('uid')
    .execute()
}

export function findDevice(db: Kysely<Schema>, uid: DeviceUid): Promise<DeviceRow | undefined> {
  return selectDevices(db).where('devices.uid', '=', uid).executeTakeFirst()
}

export function findDevices(db: Kysely<Schema>, uids: readonly DeviceUid[]): Promise<DeviceRow[]> {
  if (uids.length === 0) return Promise.resolve([])
  return selectDevices(db).where('devices.uid', 'in', uids).execute()
}

/** Namespace of a device without an agent. @param db system connection */
export async function findTenantOfEnrolled(db: Kysely<Schema>, uid: DeviceUid): Promise<TenantId | undefined> {
  const row = await db
    .selectFrom('devices')
    .select('tenant_id as tenant')
    .where('uid', '=', uid)
    .where('ssh_host_key', 'is not', null)
    .executeTakeFirst()
  return row?.tenant
}

/** Host keys of devices, as `authorized_keys` has them; devices with an agent are omitted. @param db system connection */
export function findHostKeyLines(
  db: Kysely<Schema>,
  uids: readonly DeviceUid[],
): Promise<{ uid: DeviceUid; line: string }[]> {
  return db
    .selectFrom('devices')
    .select(['uid', 'ssh_host_key as line'])
    .where('uid', '=', sql<DeviceUid>`any(${[...uids]}::text[])`)
    .where('ssh_host_key', 'is not', null)
    .$narrowType<{ line: string }>()
    .execute()
}

export function lockDevice(db: Kysely<Schema>, uid: DeviceUid): Promise<Selectable<DevicesTable> | undefined> {
  return db.selectFrom('devices').selectAll().where('uid', '=', uid).forUpdate().executeTakeFirst()
}

/** Locks the namespace's row, which serialises acceptances of a namespace so that limits hold. */
export function lockNamespace(db: Kysely<Schema>): Promise<{ max_devices: number } | undefined> {
  // Registrations refer to the row but can proceed: its key does not change.
  return db.selectFrom('namespaces').select('max_devices').forNoKeyUpdate().executeTakeFirst()
}

/** Accepted devices by name, which is unique among them. `after`: last name of the previous page. */
export function readAcceptedByName(
  db: Kysely<Schema>,
  { kind, after, limit }: { kind: DeviceKind; after: string | undefined; limit: number },
): Promise<{ name: string; tags: readonly string[] }[]> {
  const accepted = db.selectFrom('devices').where('kind', '=', kind).where('status', '=', 'accepted')
  const rest = after === undefined ? accepted : accepted.where('name', '>', after)
  return rest.select(['name', 'tags']).orderBy('name').limit(limit).execute()
}

/** Number of pending devices, including containers. */
export function countPending(db: Kysely<Schema>): Promise<number> {
  return totalOf(db, ['devices', 'containers'], 'pending')
}

/** Other accepted devices with this name or this MAC. */
export function findAcceptedTwins(
  db: Kysely<Schema>,
  device: { uid: DeviceUid; name: string; mac: string | null },
): Promise<Selectable<DevicesTable>[]> {
  return db
    .selectFrom('devices')
    .selectAll()
    .where('status', '=', 'accepted')
    .where('uid', '!=', device.uid)
    .where((where) =>
      where.or([
        where(sql<string>`lower(name)`, '=', device.name.toLowerCase()),
        ...(device.mac ? [where('mac', '=', device.mac)] : []),
      ]),
    )
    .execute()
}

/** Accepted devices with one of these MACs. */
export function findAcceptedByMac(
  db: Kysely<Schema>,
  macs: readonly string[],
): Promise<Pick<Selectable<DevicesTable>, 'uid' | 'name' | 'mac' | 'public_key'>[]> {
  return db
    .selectFrom('devices')
    .select(['uid', 'name', 'mac', 'public_key'])
    .where('status', '=', 'accepted')
    .where('mac', 'in', macs)
    .execute()
}

export async function updateDevice(
  db: Kysely<Schema>,
  uid: DeviceUid,
  values: Updateable<DevicesTable>,
): Promise<void> {
  await db.updateTable('devices').set(values).where('uid', '=', uid).execute()
}

/** Moves sessions, tunnels and the engine of a device to its replacement. */
export async function moveHistory(db: Kysely<Schema>, from: DeviceUid, to: DeviceUid): Promise<void> {
  for (const table of ['sessions', 'tunnels', 'connectors'] as const)
    await db.updateTable(table).set({ device_uid: to }).where('device_uid', '=', from).execute()
}

/** True if somebody has signed in on the device since then: anybody can try. */
export async function hasSessionsSince(db: Kysely<Schema>, uid: DeviceUid, since: Date): Promise<boolean> {
  const sessions = db.selectFrom('sessions').select('uid').where('device_uid', '=', uid).limit(1)
  const found = await sessions.where('authenticated', '=', true).where('started_at', '>=', since).executeTakeFirst()
  return found !== undefined
}

/** @returns false when no such device exists */
export async function deleteDevice(db: Kysely<Schema>, uid: DeviceUid): Promise<boolean> {
  const result = await db.deleteFrom('devices').where('uid', '=', uid).executeTakeFirst()
  return result.numDeletedRows === 1n
}

/**
 * Inserts a new device or refreshes a known one.
 * Concurrent first registrations may collide in an index other than the conflict target's: PostgreSQL reports a unique
 * violation, or a deadlock when both wait there. By then the other row exists, so a retry refreshes it; among several that
 * retry at once, one may collide once more.
 * Without a `signed_at` newer than the last, a device that is accepted or has signed before is not changed: anybody can
 * send unsigned data, or replay signed data.
 */
export async function upsertDevice(db: Kysely<Schema>, device: Insertable<DevicesTable>): Promise<Upserted> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await tryUpsert(db, device)
    } catch (error) {
      if (tries === INSERT_TRIES || !INSERT_CONFLICTS.has(String((error as { code?: unknown }).code))) throw error
    }
  }
}

/** unique_violation, deadlock_detected. */
const INSERT_CONFLICTS = new Set(['23505', '40P01'])
/** Each collision lets one of those that collide through. */
const INSERT_TRIES = 5

/** Outcome of a registration. */
export type Upserted = 'inserted' | 'refreshed' | 'unchanged'

async function tryUpsert(db: Kysely<Schema>, device: Insertable<DevicesTable>): Promise<Upserted> {
  const row = await db
    .insertInto('devices')
    // A device is offline until its link is up.
    .values({ ...device, disconnected_at: sql<Date>`now()` })
    .onConflict((conflict) =>
      conflict
        .column('uid')
        .doUpdateSet({
          info: (set) => set.ref('excluded.info'),
          remote_addr: (set) => set.ref('excluded.remote_addr'),
          latitude: (set) => set.ref('excluded.latitude'),
          longitude: (set) => set.ref('excluded.longitude'),
          signed_at: (set) => set.ref('excluded.signed_at'),
          last_seen: sql<Date>`now()`,
        })
        .where(
          sql<boolean>`case when devices.signed_at is null
            then excluded.signed_at is not null or devices.status <> 'accepted'
            else excluded.signed_at > devices.signed_at end`,
        ),
    )
    .returning(sql<boolean>`xmax = 0`.as('inserted'))
    .executeTakeFirst()
  if (!row) return 'unchanged'
  return row.inserted ? 'inserted' : 'refreshed'
}

/** Counts of the namespace by status, and of accepted devices online. */
export async function countDevices(db: Kysely<Schema>): Promise<Readonly<Record<DeviceKind, StatusCounts>>> {
  const counts = await devicesByStatus(db)
  const countsOf = async (kind: DeviceKind): Promise<StatusCounts> => {
    const countOf = (status: DeviceStatus): number =>
      counts.find((count) => count.list === kind && count.status === status)?.total ?? 0
    return {
      accepted: countOf('accepted'),
      pending: countOf('pending'),
      rejected: countOf('rejected'),
      online: await countRows(
        db.selectFrom('devices').where('kind', '=', kind).where('status', '=', 'accepted').where(online),
      ),
    }
  }
  return { devices: await countsOf('devices'), containers: await countsOf('containers') }
}

export interface StatusCounts {
  readonly accepted: number
  readonly pending: number
  readonly rejected: number
  /** Online devices among the accepted ones. */
  readonly online: number
}

/** True if another accepted device has the name. */
export async function isNameTaken(db: Kysely<Schema>, uid: DeviceUid, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('devices')
    .select('uid')
    .where('status', '=', 'accepted')
    .where('uid', '!=', uid)
    .where(sql<string>`lower(name)`, '=', name.toLowerCase())
    .executeTakeFirst()
  return row !== undefined
}

/** Number of pending devices that last registered from an address. */
export function countPendingOfSource(db: Kysely<Schema>, source: string): Promise<number> {
  return countRows(db.selectFrom('devices').where('status', '=', 'pending').where('remote_addr', '=', source))
}

/** @returns uid of the removed device; undefined when none was pending */
export async function removeLongestUnseenPending(db: Kysely<Schema>): Promise<DeviceUid | undefined> {
  const oldest = db.selectFrom('devices').select('uid').where('status', '=', 'pending').orderBy('last_seen').limit(1)
  const row = await db.deleteFrom('devices').where('uid', '=', oldest).returning('uid').executeTakeFirst()
  return row?.uid
}

/** @param db system connection */
export async function removeUnseenPending(
  db: Kysely<Schema>,
  before: Date,
  limit: number,
): Promise<{ uid: DeviceUid; tenant: TenantId }[]> {
  const unseen = db
    .selectFrom('devices')
    .select('uid')
    .where('status', '=', 'pending')
    .where('last_seen', '<', before)
    .limit(limit)
  return db
    .deleteFrom('devices')
    .where('status', '=', 'pending')
    .where('uid', 'in', unseen)
    .returning(['uid', 'tenant_id as tenant'])
    .execute()
}

/** Name of the connection's namespace. */
export async function readNamespaceName(db: Kysely<Schema>): Promise<string> {
  const row = await db.selectFrom('namespaces').select('name').executeTakeFirst()
  return row?.name ?? ''
}
