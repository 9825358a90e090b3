// Billing decisions that need no payment provider: checks a free namespace's limit and picks the devices it keeps above
// it.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Device } from '@bowline/contract/schemas/device'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { countSlots } from '../devices/limits.ts'
import { get, getMany } from '../devices/service.ts'
import type { Listing } from '../db/lists/listing.ts'
import { findMostUsed, findPlan, keepOnly, lockPlan } from './store.ts'

/** Decides if devices can be accepted and connected to: not beyond the limit without a subscription. */
export async function evaluate(ctx: TenantContext): Promise<{ can_accept: boolean; can_connect: boolean }> {
  const plan = (await findPlan(ctx.db)) ?? fail('NOT_FOUND', { what: 'The namespace' })
  if (plan.billed || plan.limit <= 0) return { can_accept: true, can_connect: true }
  const { accepted, slots } = await countSlots(ctx)
  return { can_accept: slots < plan.limit, can_connect: accepted <= plan.limit }
}

/**
 * Keeps up to three accepted devices; the others become pending.
 * @throws {BowlineError} INVALID_INPUT for a device that is not accepted in the namespace
 */
export async function chooseDevices(ctx: TenantContext, choices: readonly DeviceUid[]): Promise<void> {
  const put = await ctx.db.transaction().execute(async (db) => {
    await lockPlan(db)
    const devices = await getMany({ ...ctx, db }, choices)
    if (choices.some((uid) => devices.get(uid)?.status !== 'accepted')) {
      fail('INVALID_INPUT', { field: 'choices', rule: 'must be accepted devices' }, ['choices'])
    }
    const back = await keepOnly(db, choices, new Date(ctx.clock.now()))
    await audit({ ...ctx, db }, 'device.choose', '', { kept: choices, pending: back })
    return back
  })
  for (const uid of put) ctx.emit({ type: 'device.changed', device: await get(ctx, uid) })
}

/** The accepted devices with the most sessions. */
export async function mostUsedDevices(ctx: TenantContext): Promise<Listing<Device>> {
  const uids = await findMostUsed(ctx.db, LIMITS.deviceChoice)
  const devices = await getMany(ctx, uids)
  const items = uids.flatMap((uid) => devices.get(uid) ?? [])
  return { items, total: items.length }
}
