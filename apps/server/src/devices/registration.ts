// Registration of devices: `POST devices/auth`, called by agents without a credential. The device proves its key when
// it opens its link; a registration alone gives nothing but a pending row.
import { createPublicKey } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import type { DeviceAuth, DeviceAuthBody } from '@bowline/contract/schemas/device'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { TenantContext } from '../context.ts'
import type { TokenIssuer } from '../auth/tokens.ts'
import { deviceName, deviceUid } from './identity.ts'
import { findAcceptable } from './limits.ts'
import { toDevice } from './wire.ts'
import { countOfStatus, findDevice, upsertDevice } from './store.ts'

export interface RegistrationDeps {
  readonly tokens: TokenIssuer
  /** Raw Ed25519 public key, base64url. */
  readonly statementKey: string
  /** The namespace's context, or undefined when there is no such namespace. */
  readonly contextOf: (tenant: TenantId, source: string) => Promise<TenantContext | undefined>
}

/** A namespace keeps at most this many devices waiting: registration needs no credential. */
const MAX_PENDING = 10_000

/**
 * Registers a device, or refreshes what is known of it.
 * @throws {BowlineError} NOT_FOUND for an unknown namespace; INVALID_INPUT for a key or identity that cannot be one
 */
export async function registerDevice(
  deps: RegistrationDeps,
  body: DeviceAuthBody,
  source: string,
): Promise<DeviceAuth> {
  const ctx = (await deps.contextOf(body.tenant_id, source)) ?? fail('NOT_FOUND', { what: 'The namespace' })
  const mac = body.identity?.mac ?? ''
  const name = deviceName(body.hostname ?? undefined, mac)
  if (!body.identity || !name) fail('INVALID_INPUT', { field: 'identity', rule: 'is required' }, ['identity'])
  requireUsableKey(body.public_key)
  const uid = deviceUid({ mac, publicKey: body.public_key, tenant: ctx.tenant })
  const known = await findDevice(ctx.db, uid)
  if (!known) await requireRoomForPending(ctx)
  const isNew = await upsertDevice(ctx.db, {
    uid,
    tenant_id: ctx.tenant,
    name,
    hostname: body.hostname ?? null,
    mac: mac === '' ? null : mac.toLowerCase(),
    info: body.info,
    public_key: body.public_key,
    remote_addr: source,
    ...ctx.locate(source),
  })
  const row = (isNew ? undefined : known) ?? (await findDevice(ctx.db, uid)) ?? fail('INTERNAL')
  if (isNew) {
    ctx.log.info('device.registered', { device: uid, tenant: ctx.tenant, name })
    const acceptable = await findAcceptable(ctx, [uid])
    ctx.emit({ type: 'device.pending', device: toDevice(row, acceptable.has(uid)) })
  }
  return {
    uid,
    token: await deps.tokens.device({ uid, tenant: ctx.tenant }),
    name: row.name,
    namespace: row.namespace,
    statement_key: deps.statementKey,
  }
}

/** Public key and namespace of a device that holds a token; undefined when it has been removed. */
export async function findDeviceKey(
  ctx: TenantContext,
  uid: DeviceUid,
): Promise<{ publicKey: string; name: string } | undefined> {
  const row = await findDevice(ctx.db, uid)
  return row && { publicKey: row.public_key, name: row.name }
}

/** One public key and nothing else: members see it, so a private key must not get there by an agent's mistake. */
const PUBLIC_PEM = /^-----BEGIN (RSA )?PUBLIC KEY-----[A-Za-z0-9+/=\r\n]+-----END \1?PUBLIC KEY-----\s*$/

const LEAST_RSA_BITS = 2_048
/** Checking a signature by a larger one costs whole milliseconds, and no agent makes them. */
const MOST_RSA_BITS = 8_192

function requireUsableKey(pem: string): void {
  if (!isUsableKey(pem)) {
    const rule = 'must be one PEM public key: Ed25519, ECDSA, or RSA with 2048 to 8192 bits'
    fail('INVALID_INPUT', { field: 'public_key', rule }, ['public_key'])
  }
}

function isUsableKey(pem: string): boolean {
  if (!PUBLIC_PEM.test(pem)) return false
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPublicKey(pem)
    const bits = details?.modulusLength ?? 0
    if (type === 'rsa') return bits >= LEAST_RSA_BITS && bits <= MOST_RSA_BITS
    return type === 'ed25519' || type === 'ec'
  } catch {
    return false
  }
}

async function requireRoomForPending(ctx: TenantContext): Promise<void> {
  if ((await countOfStatus(ctx.db, 'pending')) >= MAX_PENDING) fail('TOO_MANY_REQUESTS', { seconds: 60 })
}
