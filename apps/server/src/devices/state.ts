// State machine of a device's status.
import type { DeviceStatus } from '@bowline/contract/schemas/device'

/** Statuses a person can set, by current status. Accepted is final: such a device can only be removed. */
const NEXT: Readonly<Record<DeviceStatus, readonly DeviceStatus[]>> = {
  pending: ['accepted', 'rejected', 'pending', 'unused'],
  rejected: ['accepted', 'rejected', 'pending', 'unused'],
  unused: ['accepted', 'rejected', 'pending', 'unused'],
  accepted: [],
  removed: [],
}

export function mayBecome(current: DeviceStatus, next: DeviceStatus): boolean {
  return NEXT[current].includes(next)
}
