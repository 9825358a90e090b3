// Devices without an agent: an ssh client of theirs proves a key of its own, and the SSH server that people reach through
// it has a host key, which is kept from the first connection on.
import { createHash, createPublicKey } from 'node:crypto'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { DeviceStatus } from '@bowline/contract/schemas/device'
import { publicJwk } from '@bowline/ssh/keys/jwk'
import { parsePublicKey } from '@bowline/ssh/keys/public-key'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import { describeDevices } from '../describe.ts'
import { deviceName, deviceUid } from '../identity.ts'
import { makeRoomForPending } from '../pending.ts'
import { type DeviceRow, findDevice, findHostKeyLines, findTenantOfEnrolled, upsertDevice } from '../store.ts'
import { blobOfLine, lineOf } from './host-key-facts.ts'

/** A device without an agent, as it is registered. */
export interface EnrolledDevice {
  readonly name: string
  readonly namespace: string
  readonly status: DeviceStatus
  /** Wire encoding of the host key of its SSH server: the one it had at first, or that a member has accepted since. */
  readonly hostKey: Uint8Array
  /** Its SSH server has presented another key, which is not accepted. */
  readonly presentsAnother: boolean
}

export interface EnrollingDevice {
  /** Wire encoding of the key that its ssh client has proved (RFC 4253 section 6.6). */
  readonly key: Uint8Array
  /** Wire encoding of the host key that its SSH server has proved. */
  readonly hostKey: Uint8Array
  /** Software of its SSH server, as that says. */
  readonly software: string
  /** Wanted name; undefined: one is made of its key. */
  readonly name: string | undefined
}

/** Platform of such devices, in what is known of them. */
const PLATFORM = 'ssh'

/**
 * Uid of a device without an agent. Its key is written as SSH has it, which no registration over HTTP can send: nobody
 * gets a device token, or a row, of that uid without having proved the key.
 */
export function enrolledUid(key: Uint8Array, tenant: TenantId): DeviceUid {
  return deviceUid({ mac: '', publicKey: lineOf(key), tenant })
}

/** @returns undefined when there is no such device without an agent */
export async function findEnrolled(ctx: TenantContext, uid: DeviceUid): Promise<EnrolledDevice | undefined> {
  const row = await findDevice(ctx.db, uid)
  return row && enrolledOf(row)
}

/** Namespace of a device without an agent. @param system connection to all namespaces */
export function tenantOfEnrolled(system: Kysely<Schema>, uid: DeviceUid): Promise<TenantId | undefined> {
  return findTenantOfEnrolled(system, uid)
}

/**
 * Accepted host keys; devices with an agent are omitted.
 * @param system connection to all namespaces
 * @returns wire encodings
 */
export async function findHostKeys(
  system: Kysely<Schema>,
  uids: readonly DeviceUid[],
): Promise<ReadonlyMap<DeviceUid, Uint8Array>> {
  const rows = await findHostKeyLines(system, uids)
  return new Map(rows.map(({ uid, line }) => [uid, blobOfLine(line)]))
}

/**
 * Registers or refreshes a device without an agent: pending at first, like any other. The host key stays that of the
 * first time, whatever comes later: only a member replaces it.
 * @throws {BowlineError} TOO_MANY_REQUESTS when too many devices of that address are pending
 */
export async function registerEnrolled(
  ctx: TenantContext,
  found: EnrollingDevice,
): Promise<{ uid: DeviceUid; isNew: boolean }> {
  const uid = enrolledUid(found.key, ctx.tenant)
  const name = deviceName(found.name, `${PLATFORM}-${shortId(found.key)}`) ?? uid.slice(0, 12)
  if (!(await findDevice(ctx.db, uid))) await makeRoomForPending(ctx)
  const outcome = await upsertDevice(ctx.db, {
    uid,
    tenant_id: ctx.tenant,
    name,
    hostname: found.name ?? null,
    mac: null,
    info: {
      id: PLATFORM,
      pretty_name: `No agent: ${found.software}`.slice(0, 256),
      version: found.software.slice(0, 64),
      arch: '',
      platform: PLATFORM,
    },
    public_key: pemOf(found.key),
    ssh_host_key: lineOf(found.hostKey),
    remote_addr: ctx.source,
    // Its key has signed the connection that this comes by.
    signed_at: new Date(ctx.clock.now()),
    ...ctx.locate(ctx.source),
  })
  const isNew = outcome === 'inserted'
  if (isNew) {
    ctx.log.info('device.registered', { device: uid, tenant: ctx.tenant, name })
    const row = await findDevice(ctx.db, uid)
    for (const device of row ? await describeDevices(ctx, [row]) : []) ctx.emit({ type: 'device.pending', device })
  }
  return { uid, isNew }
}

function enrolledOf(row: DeviceRow): EnrolledDevice | undefined {
  const { name, namespace, status, ssh_host_key: line } = row
  if (line === null) return undefined
  return { name, namespace, status, hostKey: blobOfLine(line), presentsAnother: row.presented_host_key !== null }
}

function pemOf(blob: Uint8Array): string {
  return createPublicKey({ key: publicJwk(parsePublicKey(blob)), format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  })
}

function shortId(key: Uint8Array): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8)
}
