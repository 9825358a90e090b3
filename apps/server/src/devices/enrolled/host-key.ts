// Another host key of a device without an agent. It changes nothing by itself: it is kept beside the enrolled one until a
// member accepts it, or the device presents the enrolled one again.
import { fail } from '@bowline/contract/errors'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Device } from '@bowline/contract/schemas/device'
import { audit } from '../../audit/service.ts'
import type { TenantContext } from '../../context.ts'
import { get, notifyChanged } from '../service.ts'
import { lockDevice, updateDevice } from '../store.ts'
import { describeHostKey, lineOf } from './host-key-facts.ts'

const NONE = { presented_host_key: null, presented_host_key_at: null }

/**
 * Records the host key that the SSH server of a device has proved: one that differs from the enrolled key is kept with
 * the time of its first appearance, the enrolled key clears it.
 * @param blob wire encoding
 */
export async function notePresentedKey(ctx: TenantContext, uid: DeviceUid, blob: Uint8Array): Promise<void> {
  const line = lineOf(blob)
  const isNews = await ctx.db.transaction().execute(async (db) => {
    const device = await lockDevice(db, uid)
    const wanted = line === device?.ssh_host_key ? null : line
    if (!device || device.ssh_host_key === null || device.presented_host_key === wanted) return false
    const since = new Date(ctx.clock.now())
    await updateDevice(db, uid, wanted === null ? NONE : { presented_host_key: wanted, presented_host_key_at: since })
    return true
  })
  if (isNews) await notifyChanged(ctx, uid)
}

/**
 * Makes the presented host key the enrolled one: people's credentials go to the server that has it from the next login on,
 * and to no other.
 * @param fingerprint of the key that the member has seen; accepting the enrolled key again changes nothing
 * @throws {BowlineError} NOT_FOUND, also for a device with an agent; HOST_KEY_NOT_PRESENTED when the device has presented
 *   another key meanwhile
 */
export async function acceptHostKey(ctx: TenantContext, uid: DeviceUid, fingerprint: string): Promise<Device> {
  const isAccepted = await ctx.db.transaction().execute(async (db) => {
    const device = (await lockDevice(db, uid)) ?? fail('NOT_FOUND', { what: 'The device' })
    const known = describeHostKey(device) ?? fail('NOT_FOUND', { what: 'The host key of a device without an agent' })
    if (known.fingerprint === fingerprint) return false
    const line = device.presented_host_key
    if (line === null || known.presented?.fingerprint !== fingerprint)
      fail('HOST_KEY_NOT_PRESENTED', {}, ['fingerprint'])
    await updateDevice(db, uid, { ssh_host_key: line, ...NONE })
    await audit({ ...ctx, db }, 'device.accept-host-key', uid, {
      name: device.name,
      before: { fingerprint: known.fingerprint },
      after: { fingerprint },
    })
    return true
  })
  if (isAccepted) await notifyChanged(ctx, uid)
  return get(ctx, uid)
}
