// Use cases of HTTP tunnels. The address is a keyed hash of the tunnel's target: the same host and port of a device
// keep it, and it cannot be guessed.
import { createHmac } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import { NEVER, type DeviceUid } from '@bowline/contract/schemas/common'
import type { Tunnel } from '@bowline/contract/schemas/tunnel'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { get as getDevice } from '../devices/service.ts'
import type { Listing } from '../db/lists/listing.ts'
import { type TunnelRow, countOthers, deleteTunnel, listTunnels, lockTunnelDevice, upsertTunnel } from './store.ts'

export interface TunnelDeps {
  /** Key of the address hash. */
  readonly secret: string
  /** Parent domain of tunnels; '' if not configured. */
  readonly domain: string
}

const MAX_PER_DEVICE = 10

/** @throws {BowlineError} NOT_FOUND for a device of another namespace too */
export async function list(
  deps: TunnelDeps,
  ctx: TenantContext,
  device: DeviceUid,
  query: { page: number; per_page: number },
): Promise<Listing<Tunnel>> {
  await getDevice(ctx, device)
  const { rows, total } = await listTunnels(ctx.db, device, {
    limit: query.per_page,
    offset: (query.page - 1) * query.per_page,
  })
  return { items: rows.map((row) => toTunnel(deps, row)), total }
}

/** @throws {BowlineError} NOT_FOUND; TUNNEL_LIMIT */
export async function create(
  deps: TunnelDeps,
  ctx: TenantContext,
  device: DeviceUid,
  body: { host: string; port: number; ttl: number },
): Promise<Tunnel> {
  const text = [ctx.tenant, device, body.host, body.port].join(' ')
  const address = createHmac('sha256', deps.secret).update(text).digest('hex').slice(0, 32)
  const now = ctx.clock.now()
  return ctx.db.transaction().execute(async (db) => {
    if (!(await lockTunnelDevice(db, device))) fail('NOT_FOUND', { what: 'The device' })
    if ((await countOthers(db, device, address, new Date(now))) >= MAX_PER_DEVICE) {
      fail('TUNNEL_LIMIT', { limit: MAX_PER_DEVICE })
    }
    const row = await upsertTunnel(db, {
      address,
      tenant_id: ctx.tenant,
      device_uid: device,
      host: body.host,
      port: body.port,
      ttl_seconds: body.ttl,
      expires_at: expiryAt(now, body.ttl),
    })
    const { host, port, ttl } = body
    await audit({ ...ctx, db }, 'tunnel.create', address, { device, host, port, ttl })
    return toTunnel(deps, row)
  })
}

/** @throws {BowlineError} NOT_FOUND */
export async function remove(ctx: TenantContext, device: DeviceUid, address: string): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    if (!(await deleteTunnel(db, device, address))) fail('NOT_FOUND', { what: 'The tunnel' })
    await audit({ ...ctx, db }, 'tunnel.remove', address, { device })
  })
}

/** Latest time that JavaScript and the API can express; longer TTLs are capped. */
const LATEST = Date.UTC(9999, 11, 31)

/** Expiry of a tunnel created or renewed at `now`; null: never. */
export function expiryAt(now: number, ttlSeconds: number): Date | null {
  return ttlSeconds < 0 ? null : new Date(Math.min(now + ttlSeconds * 1_000, LATEST))
}

function toTunnel({ domain }: TunnelDeps, row: TunnelRow): Tunnel {
  return {
    address: row.address,
    full_address: domain === '' ? row.address : `${row.address}.${domain}`,
    namespace: row.tenant_id,
    device: row.device_uid,
    host: row.host,
    port: row.port,
    ttl: row.ttl_seconds,
    expires_in: row.expires_at?.toISOString() ?? NEVER,
    created_at: row.created_at.toISOString(),
  }
}
