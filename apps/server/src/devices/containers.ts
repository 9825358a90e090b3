// Containers as devices: registered by the part of the server that dials their engine.
import { createHash } from 'node:crypto'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { TenantContext } from '../context.ts'
import { describeDevices } from './describe.ts'
import { deviceName, deviceUid } from './identity.ts'
import { makeRoomForPending } from './pending.ts'
import { findDevice, upsertDevice } from './store.ts'

export interface FoundContainer {
  /** Uid of the connector that found it. */
  readonly connector: string
  /** 64 hex digits. */
  readonly id: string
  readonly name: string
  readonly image: string
  readonly engineVersion: string
  readonly arch: string
}

/** Digits of a container's id that stand for its MAC. */
const IDENTITY_DIGITS = 12
/** Start of an Ed25519 key in SPKI (RFC 8410), before its 32 bytes. */
const ED25519 = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * Registers or refreshes a container's device: pending at first, like any other.
 * @param ctx its source is the address of the engine
 * @throws {BowlineError} TOO_MANY_REQUESTS when too many devices of that address are pending
 */
export async function registerContainer(ctx: TenantContext, found: FoundContainer): Promise<DeviceUid> {
  const mac = found.id.slice(0, IDENTITY_DIGITS)
  const publicKey = keyOf(found)
  const uid = deviceUid({ mac, publicKey, tenant: ctx.tenant })
  const known = await findDevice(ctx.db, uid)
  if (!known) await makeRoomForPending(ctx)
  const outcome = await upsertDevice(ctx.db, {
    uid,
    tenant_id: ctx.tenant,
    name: deviceName(found.name, mac) ?? mac,
    hostname: found.name === '' ? null : found.name,
    mac,
    info: {
      id: 'docker',
      pretty_name: found.image,
      version: found.engineVersion.slice(0, 64),
      arch: found.arch.slice(0, 64),
      platform: 'connector',
    },
    public_key: publicKey,
    remote_addr: ctx.source,
    // As good as signed: no registration that a stranger sends may change it.
    signed_at: new Date(ctx.clock.now()),
    ...ctx.locate(ctx.source),
  })
  if (outcome === 'inserted') {
    ctx.log.info('device.registered', { device: uid, tenant: ctx.tenant, connector: found.connector })
    const row = await findDevice(ctx.db, uid)
    for (const device of row ? await describeDevices(ctx, [row]) : []) ctx.emit({ type: 'device.pending', device })
  }
  return uid
}

/**
 * A public key that nobody has the private key of: a hash. It tells containers of equal ids in two engines apart, and no
 * agent can prove it. The same container keeps it, and so its device.
 */
function keyOf({ connector, id }: Pick<FoundContainer, 'connector' | 'id'>): string {
  const bytes = createHash('sha256').update(`container ${id} of the connector ${connector}`).digest()
  const lines = Buffer.concat([ED25519, bytes]).toString('base64')
  return `-----BEGIN PUBLIC KEY-----\n${lines}\n-----END PUBLIC KEY-----\n`
}
