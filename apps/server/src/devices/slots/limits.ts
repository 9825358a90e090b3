// Device limit of a namespace. In the cloud without a subscription a removed device keeps its slot for 30 days, and
// only such devices may return to a full namespace.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { TenantContext } from '../../context.ts'
import { type Slots, forgetRemoved, readDeviceLimit, readSlots } from './store.ts'

/** Start of the period in which removed devices count. */
export function removedSince(now: number): Date {
  return new Date(now - LIMITS.removedDeviceHours * 3_600_000)
}

/** True if removed devices count in this namespace. */
export async function countsRemoved(ctx: TenantContext): Promise<boolean> {
  return ctx.edition === 'cloud' && (await readDeviceLimit(ctx.db)) > 0
}

/** Counts accepted devices and occupied slots, including recently removed devices where they count. */
export async function countSlots(ctx: TenantContext): Promise<{ accepted: number; slots: number }> {
  const { accepted, removed } = await slotsOf(ctx)
  return { accepted, slots: accepted + removed.length }
}

/** Subset of the given unaccepted devices that could be accepted now. */
export async function findAcceptable(ctx: TenantContext, waiting: readonly DeviceUid[]): Promise<Set<DeviceUid>> {
  if (waiting.length === 0) return new Set()
  const limit = await readDeviceLimit(ctx.db)
  if (limit <= 0) return new Set(waiting)
  const { accepted, removed } = await slotsOf(ctx)
  if (accepted + removed.length < limit) return new Set(waiting)
  const slots = new Set(removed)
  return new Set(waiting.filter((uid) => slots.has(uid)))
}

/**
 * Reserves a slot for a device about to be accepted; the namespace's row is locked.
 * @throws {BowlineError} DEVICE_LIMIT, in the cloud PAYMENT_REQUIRED
 */
export async function reserveSlot(ctx: TenantContext, uid: DeviceUid, limit: number): Promise<void> {
  if (limit <= 0) return
  const { accepted, removed } = await slotsOf(ctx)
  const returns = removed.includes(uid) && (await forgetRemoved(ctx.db, uid))
  if (returns || accepted + removed.length < limit) return
  fail(ctx.edition === 'cloud' ? 'PAYMENT_REQUIRED' : 'DEVICE_LIMIT', { limit })
}

function slotsOf(ctx: TenantContext): Promise<Slots> {
  return readSlots(ctx.db, ctx.edition === 'cloud' ? removedSince(ctx.clock.now()) : undefined)
}
