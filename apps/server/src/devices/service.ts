// Use cases of devices.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Device } from '@bowline/contract/schemas/device'
import type { Kysely } from 'kysely'
import { audit } from '../audit/service.ts'
import { type TenantContext, actorMayOn, roleOf } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { RecordingRemoval } from '../context.ts'
import { authorizeDeviceChange } from '../policy/device-policy.ts'
import { judgeEdit, settleDevice } from '../tag-rules/settle.ts'
import { describeDevice, describeDevices } from './describe.ts'
import { countsRemoved } from './slots/limits.ts'
import { publicName } from './public-name.ts'
import { keepRemoved } from './slots/store.ts'
import { countDevices, deleteDevice, findDevice, findDevices, isNameTaken, lockDevice, updateDevice } from './store.ts'
import { toDevice } from './wire.ts'

/** @throws {BowlineError} NOT_FOUND, also for devices of other namespaces */
export async function get(ctx: TenantContext, uid: DeviceUid): Promise<Device> {
  const row = (await findDevice(ctx.db, uid)) ?? fail('NOT_FOUND', { what: 'The device' })
  return describeDevice(ctx, row)
}

/**
 * Notifies listeners of a device's current state. A device removed concurrently is skipped: its removal was announced.
 */
export async function notifyChanged(ctx: TenantContext, uid: DeviceUid): Promise<void> {
  const row = await findDevice(ctx.db, uid)
  if (!row) return
  for (const device of await describeDevices(ctx, [row])) ctx.emit({ type: 'device.changed', device })
}

/** Several devices by uid, for lists of other nouns. Unknown ones are omitted. */
export async function getMany(ctx: TenantContext, uids: readonly DeviceUid[]): Promise<Map<DeviceUid, Device>> {
  const rows = await findDevices(ctx.db, [...new Set(uids)])
  return new Map(rows.map((row) => [row.uid, toDevice(row)]))
}

/**
 * Removes a device with its sessions and recordings.
 * @param removal records the removal of its recordings
 * @throws {BowlineError} NOT_FOUND
 */
export async function remove(ctx: TenantContext, uid: DeviceUid, removal: RecordingRemoval): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    const device = (await lockDevice(db, uid)) ?? fail('NOT_FOUND', { what: 'The device' })
    // In the cloud a removed device keeps its slot for a while, so that the limit cannot be evaded by swapping
    // devices.
    if (device.status === 'accepted' && (await countsRemoved({ ...ctx, db }))) {
      await keepRemoved(db, device, new Date(ctx.clock.now()))
    }
    await deleteDevice(db, uid)
    await audit({ ...ctx, db }, 'device.remove', uid, { name: device.name })
    await removal.deviceRemoved({ ...ctx, db }, uid)
  })
  ctx.log.info('device.removed', { device: uid })
  ctx.emit({ type: 'device.removed', uid })
}

/** Omitted ones stay. */
export interface DeviceChanges {
  readonly name?: string | undefined
  readonly public_url?: boolean | undefined
  readonly note?: string | undefined
  readonly fields?: Readonly<Record<string, string>> | undefined
  /** Null: back to the position of its address. */
  readonly position?: { readonly latitude: number; readonly longitude: number } | null | undefined
}

/**
 * Changes the name, the public_url flag, the note, the custom fields or the position; omitted ones stay. With the flag,
 * tunnels of the device have names that everybody can guess: it is for those who may create tunnels.
 * @throws {BowlineError} NOT_FOUND; DEVICE_NAME_TAKEN; PUBLIC_NAME_TAKEN; POLICY_CHANGE; FORBIDDEN; INVALID_INPUT
 */
export async function update(ctx: TenantContext, uid: DeviceUid, changes: DeviceChanges): Promise<void> {
  await change(ctx, uid, async (db, device) => {
    const { name = device.name, public_url: publicUrl = device.public_url } = changes
    const { note = device.note, fields = device.fields } = changes
    const renamed = name !== device.name
    if (renamed && (await isNameTaken(db, uid, name))) fail('DEVICE_NAME_TAKEN', { name }, ['name'])
    const policy = await authorizeDeviceChange({ ...ctx, db }, device, { name, tags: device.tags })
    const mayName = actorMayOn(device, ctx.actor, 'tunnelCreate')
    if (publicUrl !== device.public_url && !mayName) fail('FORBIDDEN', { role: roleOf(ctx.actor) ?? 'none' })
    // Devices whose flag was set while it had no effect get a name only from somebody who asks for one.
    const asksForName = changes.public_url === true && mayName
    const kept = device.public_name ?? (asksForName ? await newPublicName(db, uid, name) : null)
    const placed = placedAt(device)
    const position = changes.position === undefined ? placed : changes.position
    const placing = { placed_latitude: position?.latitude ?? null, placed_longitude: position?.longitude ?? null }
    await updateDevice(db, uid, { name, public_url: publicUrl, public_name: kept, note, fields, ...placing })
    const moved = position?.latitude !== placed?.latitude || position?.longitude !== placed?.longitude
    await audit({ ...ctx, db }, 'device.update', uid, {
      before: {
        name: device.name,
        public_url: device.public_url,
        note: device.note,
        fields: device.fields,
        ...(moved ? { position: placed } : {}),
      },
      after: { name, public_url: publicUrl, note, fields, ...(moved ? { position } : {}) },
      ...(policy ? { policy } : {}),
    })
  })
}

/** Where a person has placed a device; null where nobody has. */
function placedAt({ placed_latitude: latitude, placed_longitude: longitude }: LockedDevice) {
  return latitude === null || longitude === null ? null : { latitude, longitude }
}

/** @throws {BowlineError} NOT_FOUND; CONFLICT when the device has the tag; TAG_LIMIT; POLICY_CHANGE */
export async function addTag(ctx: TenantContext, uid: DeviceUid, tag: string): Promise<void> {
  await change(ctx, uid, (db, device) => {
    if (device.tags.includes(tag)) fail('CONFLICT', { field: 'tag' }, ['tag'])
    return writeTags(ctx, db, device, [...device.tags, tag])
  })
}

/** @throws {BowlineError} NOT_FOUND; TAG_LIMIT; POLICY_CHANGE */
export async function setTags(ctx: TenantContext, uid: DeviceUid, tags: readonly string[]): Promise<void> {
  await change(ctx, uid, (db, device) => writeTags(ctx, db, device, tags))
}

/** Gives a pending device its first tags: no rule was about it before. */
export function tagPending(db: Kysely<Schema>, uid: DeviceUid, tags: readonly string[]): Promise<void> {
  return updateDevice(db, uid, { tags: [...tags] })
}

/** @throws {BowlineError} NOT_FOUND, also for a tag that the device does not have; POLICY_CHANGE */
export async function removeTag(ctx: TenantContext, uid: DeviceUid, tag: string): Promise<void> {
  await change(ctx, uid, (db, device) => {
    if (!device.tags.includes(tag)) fail('NOT_FOUND', { what: 'The tag' })
    return writeTags(
      ctx,
      db,
      device,
      device.tags.filter((one) => one !== tag),
    )
  })
}

/** @throws {BowlineError} INVALID_INPUT when no name can be made of the device's */
async function newPublicName(db: TenantContext['db'], uid: DeviceUid, name: string): Promise<string> {
  const { namespace } = (await findDevice(db, uid)) ?? fail('NOT_FOUND', { what: 'The device' })
  const rule = 'needs a device name with a letter or a digit'
  return publicName(name, namespace) ?? fail('INVALID_INPUT', { field: 'public_url', rule }, ['public_url'])
}

type LockedDevice = NonNullable<Awaited<ReturnType<typeof lockDevice>>>

async function writeTags(
  ctx: TenantContext,
  db: TenantContext['db'],
  device: LockedDevice,
  tags: readonly string[],
): Promise<void> {
  if (tags.length > LIMITS.tagsPerItem) fail('TAG_LIMIT', { limit: LIMITS.tagsPerItem }, ['tags'])
  const policy = await authorizeDeviceChange({ ...ctx, db }, device, { name: device.name, tags })
  await updateDevice(db, device.uid, { tags })
  await audit({ ...ctx, db }, 'device.tags', device.uid, {
    before: device.tags,
    after: tags,
    ...(policy ? { policy } : {}),
  })
}

/** Changes a device under its lock and notifies the listeners. */
async function change(
  ctx: TenantContext,
  uid: DeviceUid,
  work: (db: TenantContext['db'], device: LockedDevice) => Promise<void>,
): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    const device = (await lockDevice(db, uid)) ?? fail('NOT_FOUND', { what: 'The device' })
    await judgeEdit({ ...ctx, db }, uid, () => work(db, device))
    await settleDevice({ ...ctx, db }, uid)
  })
  await notifyChanged(ctx, uid)
}

/** Counts devices by status, and the accepted ones that are online. */
export function countByStatus(ctx: TenantContext): ReturnType<typeof countDevices> {
  return countDevices(ctx.db)
}
