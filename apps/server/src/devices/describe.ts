// API representation of devices, including the effect of accepting one that is not accepted yet.
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Device, ReplacedDevice } from '@bowline/contract/schemas/device'
import type { TenantContext } from '../context.ts'
import { keyFingerprint } from './key-fingerprint.ts'
import { findAcceptable } from './slots/limits.ts'
import { type DeviceRow, findAcceptedByMac } from './store.ts'
import { toDevice } from './wire.ts'

/** Keeps the order of the rows. */
export async function describeDevices(ctx: TenantContext, rows: readonly DeviceRow[]): Promise<Device[]> {
  const waiting = rows.filter(({ status }) => status !== 'accepted')
  const acceptable = await findAcceptable(
    ctx,
    waiting.map(({ uid }) => uid),
  )
  const replaced = await findReplaced(ctx, waiting)
  return rows.map((row) => toDevice(row, { acceptable: acceptable.has(row.uid), replaces: replaced.get(row.uid) }))
}

/** Describes one device and the device it would replace; never marks it acceptable. */
export async function describeDevice(ctx: TenantContext, row: DeviceRow): Promise<Device> {
  const replaced = row.status === 'accepted' ? undefined : await findReplaced(ctx, [row])
  return toDevice(row, { acceptable: false, replaces: replaced?.get(row.uid) })
}

/** The accepted device that one would replace, which may be unknown yet; undefined without any. */
export async function findReplacedBy(
  ctx: TenantContext,
  device: Pick<DeviceRow, 'uid' | 'mac'>,
): Promise<ReplacedDevice | undefined> {
  const replaced = (await findReplaced(ctx, [device])).get(device.uid)
  return replaced?.uid === device.uid ? undefined : replaced
}

/** Accepted devices that unaccepted ones would replace, by uid of the latter. */
async function findReplaced(
  ctx: TenantContext,
  waiting: readonly Pick<DeviceRow, 'uid' | 'mac'>[],
): Promise<ReadonlyMap<DeviceUid, ReplacedDevice>> {
  const macs = waiting.flatMap(({ mac }) => mac ?? [])
  const found = new Map<DeviceUid, ReplacedDevice>()
  if (macs.length === 0) return found
  const accepted = new Map((await findAcceptedByMac(ctx.db, macs)).map((device) => [device.mac, device]))
  for (const { uid, mac } of waiting) {
    const old = mac === null ? undefined : accepted.get(mac)
    if (!old) continue
    found.set(uid, { uid: old.uid, name: old.name, fingerprint: await keyFingerprint(old.public_key) })
  }
  return found
}
