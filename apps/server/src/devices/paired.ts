// A device that a member adds by the code it shows: registered and accepted in one transaction, so that a refusal leaves
// nothing behind.
import { fail } from '@bowline/contract/errors'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { DeviceInfo, ReplacedDevice } from '@bowline/contract/schemas/device'
import type { PairedDevice } from '@bowline/contract/schemas/fleet/pairing'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { authorizeDeviceChange } from '../policy/device-policy.ts'
import { changeStatus } from './acceptance.ts'
import { describeDevices, findReplacedBy } from './describe.ts'
import { deviceName, deviceUid } from './identity.ts'
import { judgeEdit } from '../tag-rules/settle.ts'
import { notifyChanged } from './service.ts'
import { findAcceptedTwins, findDevice, lockDevice, lockNamespace, updateDevice, upsertDevice } from './store.ts'

/** What a device has signed about itself. */
export interface PairingDevice {
  readonly publicKey: string
  /** '' without one. */
  readonly mac: string
  readonly hostname: string | null
  readonly info: DeviceInfo
  /** Address from which it asked. */
  readonly address: string
  readonly signedAt: Date
  /** Of its key, as `ssh-keygen -l` prints it. */
  readonly fingerprint: string
}

/** Name that a device gets by itself; undefined when none can be made of what it says. */
export function nameOf({ hostname, mac }: Pick<PairingDevice, 'hostname' | 'mac'>): string | undefined {
  return deviceName(hostname ?? undefined, mac)
}

/** The accepted device of the namespace that a device would replace; undefined without any. */
export function replacedBy(ctx: TenantContext, device: PairingDevice): Promise<ReplacedDevice | undefined> {
  return findReplacedBy(ctx, { uid: uidIn(ctx, device), mac: storedMac(device) })
}

/**
 * Adds a device to the namespace and accepts it. One that would replace an accepted device stays pending: whoever accepts
 * it there compares both keys first. A device that the namespace has accepted already stays as it is.
 * @param name instead of the device's own
 * @throws {BowlineError} DEVICE_NAME_TAKEN, DEVICE_LIMIT, PAYMENT_REQUIRED; POLICY_CHANGE when rules or keys that the
 *   caller may not edit apply by the other name
 */
export async function addPaired(
  ctx: TenantContext,
  device: PairingDevice,
  name: string | undefined,
): Promise<PairedDevice> {
  const uid = uidIn(ctx, device)
  const isNew = await ctx.db.transaction().execute(async (db) => {
    const inner = { ...ctx, db }
    await lockNamespace(db)
    const outcome = await upsertDevice(db, {
      uid,
      tenant_id: ctx.tenant,
      name: nameOf(device) ?? fail('INTERNAL'),
      hostname: device.hostname,
      mac: storedMac(device),
      info: device.info,
      public_key: device.publicKey,
      remote_addr: device.address,
      signed_at: device.signedAt,
      ...ctx.locate(device.address),
    })
    await admit(inner, device, name)
    const { fingerprint, address } = device
    const { name: named, status } = (await lockDevice(db, uid)) ?? fail('INTERNAL')
    await audit(inner, 'device.pair', uid, { name: named, fingerprint, from: address, after: status })
    return outcome === 'inserted'
  })
  const row = (await findDevice(ctx.db, uid)) ?? fail('NOT_FOUND', { what: 'The device' })
  ctx.log.info('device.paired', { device: uid, tenant: ctx.tenant, status: row.status })
  if (isNew && row.status === 'pending') {
    for (const described of await describeDevices(ctx, [row])) ctx.emit({ type: 'device.pending', device: described })
  } else await notifyChanged(ctx, uid)
  return { uid, name: row.name, status: row.status }
}

/** Accepts a device that is registered, by the name that it has signed: anybody could register its key by another one. */
async function admit(ctx: TenantContext, device: PairingDevice, name: string | undefined): Promise<void> {
  const row = (await lockDevice(ctx.db, uidIn(ctx, device))) ?? fail('INTERNAL')
  const { uid, status, tags, mac: stored } = row
  if (status === 'accepted') return
  const own = nameOf(device) ?? row.name
  const wanted = name ?? own
  await authorizeDeviceChange(ctx, { name: own, tags }, { name: wanted, tags })
  await updateDevice(ctx.db, uid, { name: own, hostname: device.hostname })
  await judgeEdit(ctx, uid, () => updateDevice(ctx.db, uid, { name: wanted }))
  const twins = await findAcceptedTwins(ctx.db, { ...row, name: wanted })
  // As it is stored: the device may have signed it in capitals.
  const replaces = twins.some((twin) => stored !== null && twin.mac === stored)
  if (!replaces) await changeStatus(ctx, uid, 'accept')
  else if (status !== 'pending') await changeStatus(ctx, uid, 'pending')
}

function uidIn(ctx: TenantContext, { mac, publicKey }: PairingDevice): DeviceUid {
  return deviceUid({ mac, publicKey, tenant: ctx.tenant })
}

function storedMac({ mac }: PairingDevice): string | null {
  return mac === '' ? null : mac.toLowerCase()
}
