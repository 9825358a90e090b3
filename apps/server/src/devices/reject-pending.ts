// Bulk rejection of pending devices, all or those above an age.
import { BowlineError } from '@bowline/contract/errors'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { TenantContext } from '../context.ts'
import { setStatus } from './acceptance.ts'
import { listPendingSince } from './store.ts'

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
