// Accepts and rejects devices, and returns them to pending.
import { fail } from '@bowline/contract/errors'
import { STATUS_WORDS } from '@bowline/contract/operations/devices'
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { audit } from '../audit/service.ts'
import { type TenantContext, actorMay, personOf, roleOf } from '../context.ts'
import { keyFingerprint } from './key-fingerprint.ts'
import { reserveSlot } from './slots/limits.ts'
import { notifyChanged } from './service.ts'
import { mayBecome } from './state.ts'
import {
  deleteDevice,
  findAcceptedTwins,
  hasSessionsSince,
  lockDevice,
  lockNamespace,
  moveHistory,
  updateDevice,
} from './store.ts'

/** For limits of a namespace: whoever counts its rows holds its row meanwhile. */
export { lockNamespace } from './store.ts'

/**
 * Sets a device's status by the verb of the path. Accepting a device with the MAC of an accepted one replaces that
 * device: its name, tags, note, fields and set position are kept, and its sessions and tunnels move. Anybody may register any MAC, so this requires
 * the permission to remove devices.
 * @throws {BowlineError} NOT_FOUND, DEVICE_STATUS_FINAL, DEVICE_NAME_TAKEN, DEVICE_REPLACES, DEVICE_LIMIT,
 *   PAYMENT_REQUIRED
 */
export async function setStatus(ctx: TenantContext, uid: DeviceUid, word: keyof typeof STATUS_WORDS): Promise<void> {
  const replaced = await ctx.db.transaction().execute((db) => changeStatus({ ...ctx, db }, uid, word))
  ctx.log.info('device.status', { device: uid, status: STATUS_WORDS[word] })
  if (replaced) ctx.emit({ type: 'device.removed', uid: replaced })
  await notifyChanged(ctx, uid)
}

/**
 * Sets a status within the transaction of `ctx.db`; its caller notifies the listeners afterwards.
 * @returns the device that was replaced
 * @throws {BowlineError} as {@link setStatus}
 */
export async function changeStatus(
  ctx: TenantContext,
  uid: DeviceUid,
  word: keyof typeof STATUS_WORDS,
): Promise<DeviceUid | undefined> {
  const status = STATUS_WORDS[word]
  const namespace = (await lockNamespace(ctx.db)) ?? fail('NOT_FOUND', { what: 'The namespace' })
  const device = (await lockDevice(ctx.db, uid)) ?? fail('NOT_FOUND', { what: 'The device' })
  if (!mayBecome(device.status, status)) fail('DEVICE_STATUS_FINAL')
  const old = status === 'accepted' ? await makeRoom(ctx, device, namespace.max_devices) : undefined
  await write(ctx, device, word, old)
  return old?.uid
}

/**
 * Accepts a device whose MAC address no accepted device has, as the caller has seen in the same transaction. Among thousands
 * of devices this is quick: {@link changeStatus} reads all of them.
 * @throws {BowlineError} NOT_FOUND, DEVICE_STATUS_FINAL, DEVICE_LIMIT, PAYMENT_REQUIRED
 * @throws {Error} of the database, which has a constraint for it, when the name is taken
 */
export async function acceptUnrivalled(ctx: TenantContext, uid: DeviceUid): Promise<void> {
  const namespace = (await lockNamespace(ctx.db)) ?? fail('NOT_FOUND', { what: 'The namespace' })
  const device = (await lockDevice(ctx.db, uid)) ?? fail('NOT_FOUND', { what: 'The device' })
  if (!mayBecome(device.status, 'accepted')) fail('DEVICE_STATUS_FINAL')
  await reserveSlot(ctx, uid, namespace.max_devices)
  await write(ctx, device, 'accept', undefined)
}

/** @param old the device that it replaces, whose name, tags, note, fields and set position it gets */
async function write(
  ctx: TenantContext,
  device: LockedDevice,
  word: keyof typeof STATUS_WORDS,
  old: Twin | undefined,
): Promise<void> {
  const status = STATUS_WORDS[word]
  const { name, tags, rule_tags, public_url, public_name, note, fields, placed_latitude, placed_longitude } =
    old ?? device
  const kept = { name, tags, rule_tags, public_url, public_name, note, fields, placed_latitude, placed_longitude }
  const accepter = status === 'accepted' && !old ? personOf(ctx.actor) : undefined
  const undone = accepter ? { accepted_from: beforeAcceptance(device), accepted_by: accepter } : FINAL
  await updateDevice(ctx.db, device.uid, { status, status_updated_at: new Date(ctx.clock.now()), ...kept, ...undone })
  const replaces = old ? { replaces: old.uid } : {}
  await audit(ctx, `device.${word}`, device.uid, { name, before: device.status, after: status, ...replaces })
}

/** Of a device whose status is no acceptance that can be undone. */
const FINAL = { accepted_from: null, accepted_by: null }

function beforeAcceptance({ status }: LockedDevice): LockedDevice['accepted_from'] {
  return status === 'accepted' || status === 'removed' ? null : status
}

/**
 * Undoes the caller's acceptance of a device, which gets the status that it had before.
 * @throws {BowlineError} NOT_FOUND; ACCEPTANCE_FINAL for that of somebody else, after a while, once the device has had a
 *   session, or has replaced another one
 */
export async function undoAccept(ctx: TenantContext, uid: DeviceUid): Promise<void> {
  const status = await ctx.db.transaction().execute(async (db) => {
    const device = (await lockDevice(db, uid)) ?? fail('NOT_FOUND', { what: 'The device' })
    const { accepted_from: before, accepted_by: by, status_updated_at: at } = device
    const minutes = LIMITS.acceptanceUndoMinutes
    const isOver = at.getTime() + minutes * 60_000 <= ctx.clock.now()
    const isOwn = by !== null && by === personOf(ctx.actor)
    if (device.status !== 'accepted' || before === null || !isOwn || isOver || (await hasSessionsSince(db, uid, at))) {
      return fail('ACCEPTANCE_FINAL', { minutes })
    }
    await updateDevice(db, uid, { status: before, status_updated_at: new Date(ctx.clock.now()), ...FINAL })
    await audit({ ...ctx, db }, 'device.accept-undo', uid, { name: device.name, before: 'accepted', after: before })
    return before
  })
  ctx.log.info('device.status', { device: uid, status })
  await notifyChanged(ctx, uid)
}

type LockedDevice = NonNullable<Awaited<ReturnType<typeof lockDevice>>>
type Twin = Awaited<ReturnType<typeof findAcceptedTwins>>[number]

/** Before acceptance: removes an accepted device with the same MAC; refuses a taken name or a full namespace. */
async function makeRoom(ctx: TenantContext, device: LockedDevice, limit: number): Promise<Twin | undefined> {
  const twins = await findAcceptedTwins(ctx.db, device)
  const old = twins.find((twin) => device.mac !== null && twin.mac === device.mac)
  const sameName = twins.find((twin) => twin !== old && twin.name.toLowerCase() === device.name.toLowerCase())
  if (sameName) fail('DEVICE_NAME_TAKEN', { name: device.name }, ['name'])
  if (!old) {
    await reserveSlot(ctx, device.uid, limit)
    return undefined
  }
  if (!actorMay(ctx.actor, 'deviceRemove')) {
    fail('DEVICE_REPLACES', { name: old.name, role: roleOf(ctx.actor) ?? 'none' })
  }
  await moveHistory(ctx.db, old.uid, device.uid)
  await deleteDevice(ctx.db, old.uid)
  await audit(ctx, 'device.replace', old.uid, {
    name: old.name,
    by: device.uid,
    before: { fingerprint: await keyFingerprint(old.public_key) },
    after: { fingerprint: await keyFingerprint(device.public_key) },
  })
  return old
}
