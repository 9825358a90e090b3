// Pending devices. Anybody who knows a namespace can register some, so their number is limited, and those neither
// accepted nor seen for long are removed. They can be rejected in bulk.
import { BowlineError, fail } from '@bowline/contract/errors'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { setStatus } from './acceptance.ts'
import {
  countPending,
  countPendingOfSource,
  listPendingSince,
  removeLongestUnseenPending,
  removeUnseenPending,
} from './store.ts'

/** Maximum of pending devices per namespace. */
export const MAX_PENDING = 10_000
/** Maximum per source address: enough for a building behind one address, too few to evict all others. */
const MAX_PENDING_PER_SOURCE = 2_500
const UNSEEN_DAYS = 7
const BATCH = 500

/**
 * Makes room for one more. In a full namespace the longest unseen device is evicted: a live device registers again by
 * itself, and foreign registrations cannot block enrolment.
 * @throws {BowlineError} TOO_MANY_REQUESTS when too many devices from the same address are pending
 */
export async function makeRoomForPending(
  ctx: TenantContext,
  limits = { all: MAX_PENDING, source: MAX_PENDING_PER_SOURCE },
): Promise<void> {
  if ((await countPendingOfSource(ctx.db, ctx.source)) >= limits.source) fail('TOO_MANY_REQUESTS', { seconds: 60 })
  if ((await countPending(ctx.db)) < limits.all) return
  const removed = await removeLongestUnseenPending(ctx.db)
  if (removed) ctx.emit({ type: 'device.removed', uid: removed })
}

/**
 * Removes pending devices unseen for a week.
 * @param system connection to all namespaces
 */
export async function removeStalePending(
  system: Kysely<Schema>,
  contextOf: (tenant: TenantId) => TenantContext,
  now: number,
): Promise<void> {
  const before = new Date(now - UNSEEN_DAYS * 86_400_000)
  for (;;) {
    const removed = await removeUnseenPending(system, before, BATCH)
    for (const { uid, tenant } of removed) contextOf(tenant).emit({ type: 'device.removed', uid })
    if (removed.length < BATCH) return
  }
}

/**
 * Rejects the pending devices and containers of the namespace one by one, skipping those that are concurrently accepted
 * or removed.
 * @param before limits it to devices first registered before this time
 * @returns the rejected devices
 */
export async function rejectPending(ctx: TenantContext, before: Date): Promise<{ uid: DeviceUid; name: string }[]> {
  const rejected: { uid: DeviceUid; name: string }[] = []
  for (const device of await listPendingSince(ctx.db, before)) {
    try {
      await setStatus(ctx, device.uid, 'reject')
      rejected.push(device)
    } catch (error) {
      const isGone =
        error instanceof BowlineError && (error.code === 'NOT_FOUND' || error.code === 'DEVICE_STATUS_FINAL')
      if (!isGone) throw error
    }
  }
  return rejected
}
