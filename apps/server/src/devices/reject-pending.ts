// Rejecting what waits to be accepted, all of it or what has waited for long.
import { BowlineError } from '@bowline/contract/errors'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { TenantContext } from '../context.ts'
import { setStatus } from './acceptance.ts'
import { listPendingSince } from './store.ts'

/**
 * Rejects the pending devices and containers of the namespace, each as one call would; those that somebody accepts or
 * removes meanwhile are left alone.
 * @param before only those that registered first before this time
 * @returns the devices that were rejected
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
