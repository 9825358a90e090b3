// Accepting, rejecting and putting back devices (api.md section 6).
import { fail } from '@bowline/contract/errors'
import { STATUS_WORDS } from '@bowline/contract/operations/devices'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { takePlace } from './limits.ts'
import { tellChanged } from './service.ts'
import { mayBecome } from './state.ts'
import { deleteDevice, findAcceptedTwins, lockDevice, lockNamespace, moveHistory, updateDevice } from './store.ts'

/**
 * Sets a device's status by the word of the path.
 * Accepting a device whose MAC an accepted one has replaces the old one: it keeps the old name, and sessions and
 * tunnels move.
 * @throws {BowlineError} NOT_FOUND, DEVICE_STATUS_FINAL, DEVICE_NAME_TAKEN, DEVICE_LIMIT, PAYMENT_REQUIRED
 */
export async function setStatus(ctx: TenantContext, uid: DeviceUid, word: keyof typeof STATUS_WORDS): Promise<void> {
  const status = STATUS_WORDS[word]
  const replaced = await ctx.db.transaction().execute(async (db) => {
    const inner = { ...ctx, db }
    const namespace = (await lockNamespace(db)) ?? fail('NOT_FOUND', { what: 'The namespace' })
    const device = (await lockDevice(db, uid)) ?? fail('NOT_FOUND', { what: 'The device' })
    if (!mayBecome(device.status, status)) fail('DEVICE_STATUS_FINAL')
    const old = status === 'accepted' ? await makeRoom(inner, device, namespace.max_devices) : undefined
    const name = old?.name ?? device.name
    await updateDevice(db, uid, { status, status_updated_at: new Date(ctx.clock.now()), name })
    await audit(inner, `device.${word}`, uid, { name, before: device.status, after: status })
    return old?.uid
  })
  ctx.log.info('device.status', { device: uid, status })
  if (replaced) ctx.emit({ type: 'device.removed', uid: replaced })
  await tellChanged(ctx, uid)
}

/** Before a device is accepted: its twin by MAC goes, its twin by name or a full namespace refuses it. */
async function makeRoom(
  ctx: TenantContext,
  device: { uid: DeviceUid; name: string; mac: string | null },
  limit: number,
): Promise<{ uid: DeviceUid; name: string } | undefined> {
  const twins = await findAcceptedTwins(ctx.db, device)
  const old = twins.find((twin) => device.mac !== null && twin.mac === device.mac)
  const sameName = twins.find((twin) => twin !== old && twin.name.toLowerCase() === device.name.toLowerCase())
  if (sameName) fail('DEVICE_NAME_TAKEN', { name: device.name }, ['name'])
  if (!old) {
    await takePlace(ctx, device.uid, limit)
    return undefined
  }
  await moveHistory(ctx.db, old.uid, device.uid)
  await deleteDevice(ctx.db, old.uid)
  return old
}
