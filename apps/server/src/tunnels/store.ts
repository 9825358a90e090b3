// SQL of tunnels.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, type Updateable, sql } from 'kysely'
import { factorHours } from '../db/namespace-settings.ts'
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

/** Traffic and door of a tunnel, and the way to its service. */
export type TunnelOptions = Pick<
  Updateable<TunnelsTable>,
  'protocol' | 'door' | 'password_hash' | 'host_header' | 'tls' | 'http2'
>

/** Creates a tunnel or renews the existing one. @param options set in both cases */
export function upsertTunnel(
  db: Kysely<Schema>,
  tunnel: Insertable<TunnelsTable>,
  options: TunnelOptions,
): Promise<TunnelRow> {
  return db
    .insertInto('tunnels')
    .values({ ...tunnel, ...options })
    .onConflict((conflict) =>
      conflict.column('address').doUpdateSet({
        ...options,
        ttl_seconds: tunnel.ttl_seconds,
        expires_at: tunnel.expires_at ?? null,
      }),
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

/** Finds and locks a tunnel of a device. */
export function lockTunnel(db: Kysely<Schema>, device: DeviceUid, address: string): Promise<TunnelRow | undefined> {
  return db
    .selectFrom('tunnels')
    .selectAll()
    .where('device_uid', '=', device)
    .where('address', '=', address)
    .forUpdate()
    .executeTakeFirst()
}

export function updateTunnel(
  db: Kysely<Schema>,
  address: string,
  changes: Updateable<TunnelsTable>,
): Promise<TunnelRow> {
  return db.updateTable('tunnels').set(changes).where('address', '=', address).returningAll().executeTakeFirstOrThrow()
}

/** @returns true when the device has such a tunnel */
export async function hasTunnel(db: Kysely<Schema>, device: DeviceUid, address: string): Promise<boolean> {
  const row = await db
    .selectFrom('tunnels')
    .select('address')
    .where('device_uid', '=', device)
    .where('address', '=', address)
    .executeTakeFirst()
  return row !== undefined
}

/** A tunnel with the public name of its device and the second factor of its namespace, as they are at present. */
export type LiveTunnelRow = TunnelRow & { readonly public_name: string | null; readonly factor_hours: number | null }

/** Living tunnels to accepted devices of namespaces that are not disabled. @param system connection of all namespaces */
export function findLiveTunnels(
  system: Kysely<Schema>,
  addresses: readonly string[],
  now: Date,
): Promise<LiveTunnelRow[]> {
  return liveTunnels(system, now).where('tunnels.address', 'in', addresses).execute()
}

/** Namespace of a tunnel, if it is disabled. @param system connection of all namespaces */
export async function findDisabledTenant(system: Kysely<Schema>, address: string): Promise<TenantId | undefined> {
  const row = await system
    .selectFrom('tunnels')
    .innerJoin('namespaces', 'namespaces.tenant_id', 'tunnels.tenant_id')
    .select('tunnels.tenant_id')
    .where('tunnels.address', '=', address)
    .where('namespaces.disabled_at', 'is not', null)
    .executeTakeFirst()
  return row?.tenant_id
}

/** Living tunnel to a port of the device that has a public name. @param system connection of all namespaces */
export function findNamedTunnel(
  system: Kysely<Schema>,
  { publicName, port }: { readonly publicName: string; readonly port: number },
  now: Date,
): Promise<LiveTunnelRow | undefined> {
  return liveTunnels(system, now)
    .where('devices.public_name', '=', publicName)
    .where('devices.public_url', '=', true)
    .where('tunnels.host', '=', '127.0.0.1')
    .where('tunnels.port', '=', port)
    .executeTakeFirst()
}

function liveTunnels(system: Kysely<Schema>, now: Date) {
  return system
    .selectFrom('tunnels')
    .innerJoin('devices', 'devices.uid', 'tunnels.device_uid')
    .innerJoin('namespaces', 'namespaces.tenant_id', 'tunnels.tenant_id')
    .selectAll('tunnels')
    .select(factorHours.as('factor_hours'))
    .select(sql<string | null>`case when devices.public_url then devices.public_name end`.as('public_name'))
    .where('devices.status', '=', 'accepted')
    .where('namespaces.disabled_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
}

/** Public name of a device; null without one. */
export async function findPublicName(db: Kysely<Schema>, device: DeviceUid): Promise<string | null> {
  const row = await db
    .selectFrom('devices')
    .select('public_name')
    .where('uid', '=', device)
    .where('public_url', '=', true)
    .executeTakeFirst()
  return row?.public_name ?? null
}

/** Moves a living tunnel's expiry. @returns false when it has expired or is gone */
export async function slideExpiry(system: Kysely<Schema>, address: string, expiry: Date, now: Date): Promise<boolean> {
  const result = await system
    .updateTable('tunnels')
    .set({ expires_at: expiry })
    .where('address', '=', address)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}
