// Tunnels as their traffic sees them: by address or name alone, in every namespace. Only living tunnels to accepted devices.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { TunnelDoor, TunnelProtocol, TunnelTls } from '@bowline/contract/schemas/tunnel'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { expiryAt } from './expiry.ts'
import { readLabel, tunnelName } from './names.ts'
import { type LiveTunnelRow, findDisabledTenant, findLiveTunnels, findNamedTunnel, slideExpiry } from './store.ts'

export interface LiveTunnel {
  readonly address: string
  /** Stable name; undefined without one. */
  readonly name: string | undefined
  readonly tenant: TenantId
  readonly device: DeviceUid
  readonly host: string
  readonly port: number
  readonly protocol: TunnelProtocol
  readonly ttlSeconds: number
  /** Unix milliseconds; undefined: never. */
  readonly expiresAt: number | undefined
  readonly door: TunnelDoor
  /** Hours for which a member's second factor opens the door; undefined where none is asked for. */
  readonly factorHours: number | undefined
  readonly passwordHash: string | undefined
  readonly hostHeader: string
  readonly tls: TunnelTls
  readonly http2: boolean
}

/** Expiry slides in steps of at most this, so that not every request writes. */
const MAX_STEP_MS = 60_000

/** Finds living tunnels. @param system connection of all namespaces @param now Unix milliseconds */
export async function findLive(
  system: Kysely<Schema>,
  addresses: readonly string[],
  now: number,
): Promise<Map<string, LiveTunnel>> {
  if (addresses.length === 0) return new Map()
  const rows = await findLiveTunnels(system, addresses, new Date(now))
  return new Map(rows.map((row) => [row.address, toLive(row)]))
}

/** Namespace of a tunnel that cannot be used because its namespace is disabled. @param system as above */
export function tenantOfDisabled(system: Kysely<Schema>, address: string): Promise<TenantId | undefined> {
  return findDisabledTenant(system, address)
}

/** Finds the living tunnel of a host name. @param label as `labelOf` gives it; undefined finds none */
export async function findByLabel(
  system: Kysely<Schema>,
  label: string | undefined,
  now: number,
): Promise<LiveTunnel | undefined> {
  const wanted = readLabel(label ?? '')
  if (!wanted) return undefined
  if ('address' in wanted) return (await findLive(system, [wanted.address], now)).get(wanted.address)
  const row = await findNamedTunnel(system, wanted, new Date(now))
  return row && toLive(row)
}

function toLive(row: LiveTunnelRow): LiveTunnel {
  return {
    address: row.address,
    name: tunnelName(row.public_name, row),
    tenant: row.tenant_id,
    device: row.device_uid,
    host: row.host,
    port: row.port,
    protocol: row.protocol,
    ttlSeconds: row.ttl_seconds,
    expiresAt: row.expires_at?.getTime(),
    door: row.door,
    factorHours: row.factor_hours ?? undefined,
    passwordHash: row.password_hash ?? undefined,
    hostHeader: row.host_header,
    tls: row.tls,
    http2: row.http2,
  }
}

/**
 * Counts an access: the expiry of a tunnel with a TTL begins anew.
 * @param now Unix milliseconds
 * @returns the tunnel with its new expiry; undefined when it ended meanwhile
 */
export async function noteAccess(
  system: Kysely<Schema>,
  tunnel: LiveTunnel,
  now: number,
): Promise<LiveTunnel | undefined> {
  const expiry = expiryAt(now, tunnel.ttlSeconds)
  if (expiry === null || tunnel.expiresAt === undefined) return tunnel
  const step = Math.min(MAX_STEP_MS, tunnel.ttlSeconds * 50)
  if (expiry.getTime() - tunnel.expiresAt < step) return tunnel
  const slid = await slideExpiry(system, tunnel.address, expiry, new Date(now))
  return slid ? { ...tunnel, expiresAt: expiry.getTime() } : undefined
}

/** True if the host name by which a visitor has come is still one of the tunnel's. */
export function isKnownBy({ address, name }: LiveTunnel, label: string | undefined): boolean {
  return label === address || label === name
}
