// Billing decisions that need no payment provider: what a namespace may do, and the devices it keeps above its limit.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { BillingStanding } from '@bowline/contract/schemas/billing'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Device } from '@bowline/contract/schemas/device'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { countSlots } from '../devices/slots/limits.ts'
import { get, getMany } from '../devices/service.ts'
import type { Listing } from '../db/lists/listing.ts'
import { ACTIVE_STATUSES, UNLIMITED, allowances } from './standing.ts'
import { findMostUsed, findPlan, keepOnly, lockPlan } from './store.ts'

/** Decides if devices can be accepted and connected to. */
export async function evaluate(ctx: TenantContext): Promise<{ can_accept: boolean; can_connect: boolean }> {
  const { can_accept, can_connect } = await standing(ctx)
  return { can_accept, can_connect }
}

/** Status of the subscription, devices against their limit, and what happens next. */
export async function standing(ctx: TenantContext): Promise<BillingStanding> {
  const plan = (await findPlan(ctx.db)) ?? fail('NOT_FOUND', { what: 'The namespace' })
  const { limit, status, endAt, graceUntil } = plan
  const { accepted, slots } = await countSlots(ctx)
  const allowed = allowances({ limit, accepted, slots, graceUntil: graceUntil?.getTime() ?? 0 }, ctx.clock.now())
  return {
    status,
    active: ACTIVE_STATUSES.has(status),
    devices: accepted,
    limit: limit <= 0 ? UNLIMITED : limit,
    billed_devices: plan.billedDevices,
    ...allowed,
    end_at: endAt?.toISOString() ?? null,
    grace_until: graceUntil?.toISOString() ?? null,
  }
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
