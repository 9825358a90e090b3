// Use cases of tunnels. The address is a keyed hash of the tunnel's target: the same host and port of a device
// keep it, and it cannot be guessed.
import { createHmac } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { NEVER, type DeviceUid } from '@bowline/contract/schemas/common'
import type { Tunnel, TunnelBody, TunnelChanges, TunnelRequest } from '@bowline/contract/schemas/tunnel'
import { audit } from '../audit/service.ts'
import type { PasswordHasher } from '../auth/password-hashes/passwords.ts'
import type { TenantContext } from '../context.ts'
import { get as getDevice } from '../devices/service.ts'
import { asksForFactor } from '../namespaces/service.ts'
import type { Listing } from '../db/lists/listing.ts'
import { expiryAt } from './expiry.ts'
import { tunnelName } from './names.ts'
import {
  type TunnelOptions,
  type TunnelRow,
  countOthers,
  deleteTunnel,
  findPublicName,
  hasTunnel,
  listTunnels,
  lockTunnel,
  lockTunnelDevice,
  updateTunnel,
  upsertTunnel,
} from './store.ts'

export interface TunnelDeps {
  /** Key of the address hash. */
  readonly secret: string
  /** Parent domain of tunnels; '' if not configured. */
  readonly domain: string
  /** Origin of the console: HTTP tunnels have its scheme and port. */
  readonly origin: () => string
  /** Port of TCP tunnels; undefined without them. */
  readonly tlsPort: () => number | undefined
  readonly passwords: Pick<PasswordHasher, 'hash'>
  /** The traffic of tunnels. */
  readonly traffic: {
    /** A tunnel has changed or is gone: judges what is under way again. */
    changed(address: string): void
    /** Recent requests, newest first. */
    requests(address: string): TunnelRequest[]
  }
}

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
  const publicName = await findPublicName(ctx.db, device)
  return { items: rows.map((row) => toTunnel(deps, row, publicName)), total }
}

/** Options that are absent keep their values when the tunnel exists. @throws {BowlineError} NOT_FOUND; TUNNEL_LIMIT; INVALID_INPUT */
export async function create(
  deps: TunnelDeps,
  ctx: TenantContext,
  device: DeviceUid,
  body: TunnelBody,
): Promise<Tunnel> {
  const text = [ctx.tenant, device, body.host, body.port].join(' ')
  const address = createHmac('sha256', deps.secret).update(text).digest('hex').slice(0, 32)
  const now = ctx.clock.now()
  const hash = await passwordHash(deps, body)
  const tunnel = await ctx.db.transaction().execute(async (db) => {
    if (!(await lockTunnelDevice(db, device))) fail('NOT_FOUND', { what: 'The device' })
    const limit = LIMITS.tunnels.perDevice
    if ((await countOthers(db, device, address, new Date(now))) >= limit) fail('TUNNEL_LIMIT', { limit })
    const { host, port, ttl } = body
    const target = { address, tenant_id: ctx.tenant, device_uid: device, host, port }
    const before = await lockTunnel(db, device, address)
    const times = { ttl_seconds: ttl, expires_at: expiryAt(now, ttl) }
    const options = toOptions(deps, before, body, hash)
    await checkDoor({ ...ctx, db }, options)
    const row = await upsertTunnel(db, { ...target, ...times }, options)
    await audit({ ...ctx, db }, 'tunnel.create', address, { device, host, port, ttl, ...facts(row) })
    return toTunnel(deps, row, await findPublicName(db, device))
  })
  deps.traffic.changed(address)
  return tunnel
}

/** Absent fields stay as they are; a TTL begins anew. @throws {BowlineError} NOT_FOUND; INVALID_INPUT */
export async function update(
  deps: TunnelDeps,
  ctx: TenantContext,
  device: DeviceUid,
  address: string,
  changes: TunnelChanges,
): Promise<Tunnel> {
  const hash = await passwordHash(deps, changes)
  const tunnel = await ctx.db.transaction().execute(async (db) => {
    const before = (await lockTunnel(db, device, address)) ?? fail('NOT_FOUND', { what: 'The tunnel' })
    const { ttl } = changes
    const times = ttl === undefined ? {} : { ttl_seconds: ttl, expires_at: expiryAt(ctx.clock.now(), ttl) }
    const options = toOptions(deps, before, changes, hash)
    await checkDoor({ ...ctx, db }, options)
    const after = await updateTunnel(db, address, { ...options, ...times })
    const details = { device, before: facts(before), after: facts(after), password_changed: hash !== undefined }
    await audit({ ...ctx, db }, 'tunnel.update', address, details)
    return toTunnel(deps, after, await findPublicName(db, device))
  })
  deps.traffic.changed(address)
  return tunnel
}

/** Recent requests of a tunnel, newest first. @throws {BowlineError} NOT_FOUND */
export async function requests(
  deps: TunnelDeps,
  ctx: TenantContext,
  device: DeviceUid,
  address: string,
): Promise<TunnelRequest[]> {
  if (!(await hasTunnel(ctx.db, device, address))) fail('NOT_FOUND', { what: 'The tunnel' })
  return deps.traffic.requests(address)
}

/** @throws {BowlineError} NOT_FOUND */
export async function remove(deps: TunnelDeps, ctx: TenantContext, device: DeviceUid, address: string): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    if (!(await deleteTunnel(db, device, address))) fail('NOT_FOUND', { what: 'The tunnel' })
    await audit({ ...ctx, db }, 'tunnel.remove', address, { device })
  })
  deps.traffic.changed(address)
}

async function passwordHash({ passwords }: TunnelDeps, body: TunnelChanges): Promise<string | undefined> {
  return body.password === undefined ? undefined : passwords.hash(body.password)
}

/**
 * @throws {BowlineError} INVALID_INPUT for a password without its door, the door without a password, or what a TCP tunnel
 *   cannot have
 */
function toOptions(
  deps: Pick<TunnelDeps, 'tlsPort'>,
  before: TunnelRow | undefined,
  body: TunnelChanges,
  hash: string | undefined,
): TunnelOptions {
  const door = body.door ?? before?.door ?? 'none'
  const password = door === 'password' ? (hash ?? before?.password_hash ?? undefined) : undefined
  if (door === 'password' && password === undefined) {
    fail('INVALID_INPUT', { field: 'password', rule: 'is required where visitors are asked for one' }, ['password'])
  }
  if (door !== 'password' && hash !== undefined) {
    fail('INVALID_INPUT', { field: 'password', rule: 'is only for tunnels that ask visitors for one' }, ['password'])
  }
  const options = {
    protocol: body.protocol ?? before?.protocol ?? 'http',
    door,
    password_hash: password ?? null,
    host_header: body.host_header ?? before?.host_header ?? '',
    tls: body.tls ?? before?.tls ?? 'none',
    http2: body.http2 ?? before?.http2 ?? false,
  }
  if (options.protocol === 'tcp') checkTcp(options, before?.protocol !== 'tcp' && deps.tlsPort() === undefined)
  return options
}

/** Options that need requests: over TCP the server sees none. @throws {BowlineError} INVALID_INPUT */
function checkTcp(
  { door, host_header, tls, http2 }: Record<'door' | 'host_header' | 'tls', string> & { readonly http2: boolean },
  isWithoutPort: boolean,
): void {
  const refuse = (field: string, rule: string): never => fail('INVALID_INPUT', { field, rule }, [field])
  if (isWithoutPort) refuse('protocol', 'must be http: this server has no port for TCP tunnels')
  if (door !== 'none') refuse('door', 'must be none for a TCP tunnel, whose connections the server does not decrypt')
  if (host_header !== '') refuse('host_header', 'must be empty for a TCP tunnel')
  if (tls !== 'none') refuse('tls', 'must be none for a TCP tunnel: the client speaks TLS with the service itself')
  if (http2) refuse('http2', 'must be false for a TCP tunnel')
}

/**
 * Where logins need a second factor, a program opens a service only to members, who prove theirs at the door: it has none
 * to prove, and knows the password of a door that asks for one. @throws {BowlineError} INVALID_INPUT
 */
async function checkDoor(ctx: TenantContext, { door }: Pick<TunnelOptions, 'door'>): Promise<void> {
  if (ctx.actor.kind !== 'api-key' || door === 'namespace' || !(await asksForFactor(ctx))) return
  const rule = 'must be namespace for an API key: logins of this namespace need a second factor, which it cannot prove'
  fail('INVALID_INPUT', { field: 'door', rule }, ['door'])
}

/** Details of a tunnel in the audit log. */
function facts({ protocol, door, host_header, tls, http2, ttl_seconds }: TunnelRow): Record<string, unknown> {
  return { protocol, door, host_header, tls, http2, ttl: ttl_seconds }
}

/** Address of an HTTP tunnel in browsers: scheme and port are the console's. '' without a domain of tunnels. */
export function tunnelUrl({ domain, origin }: Pick<TunnelDeps, 'domain' | 'origin'>, label: string): string {
  if (domain === '') return ''
  const url = new URL(origin())
  url.hostname = `${label}.${domain}`
  return url.origin
}

/** Where clients of a TCP tunnel connect to. '' without a port for them. */
function tlsAddress({ domain, tlsPort }: Pick<TunnelDeps, 'domain' | 'tlsPort'>, label: string): string {
  const port = tlsPort()
  return domain === '' || port === undefined ? '' : `tls://${label}.${domain}:${port}`
}

function toTunnel(deps: TunnelDeps, row: TunnelRow, publicName: string | null): Tunnel {
  const { domain } = deps
  const name = tunnelName(publicName, row)
  const label = name ?? row.address
  return {
    address: row.address,
    full_address: domain === '' ? row.address : `${row.address}.${domain}`,
    name: name ?? '',
    protocol: row.protocol,
    url: row.protocol === 'tcp' ? tlsAddress(deps, label) : tunnelUrl(deps, label),
    namespace: row.tenant_id,
    device: row.device_uid,
    host: row.host,
    port: row.port,
    ttl: row.ttl_seconds,
    expires_in: row.expires_at?.toISOString() ?? NEVER,
    created_at: row.created_at.toISOString(),
    door: row.door,
    host_header: row.host_header,
    tls: row.tls,
    http2: row.http2,
  }
}
