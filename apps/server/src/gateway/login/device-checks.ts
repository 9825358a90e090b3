// Limits concurrent password checks per device: hashing takes a whole core of the device, and password guessing must not
// make it unusable for its owner. Checks above the limit queue, served round-robin by source.
import { Semaphore } from '@bowline/base/semaphore'
import { sourceKey } from '../../platform/network/address.ts'

const MAX_CONCURRENT = 4
const MAX_WAITING = 64

/** Kinds of work that a device does for a login; each has its own permits, as devices limit them separately. */
export type DeviceWork = 'password' | 'conversation' | 'answer'

export interface DeviceChecks {
  /**
   * Waits for a permit to let the device work.
   * @param address of the client
   * @returns release; undefined when too many wait
   */
  acquire(uid: string, work: DeviceWork, address: string): Promise<(() => void) | undefined>
}

export function createDeviceChecks(): DeviceChecks {
  const devices = new Map<string, Semaphore>()
  return {
    async acquire(uid, work, address) {
      const key = `${uid} ${work}`
      const device = devices.get(key) ?? new Semaphore(MAX_CONCURRENT, MAX_WAITING)
      devices.set(key, device)
      const release = await device.acquire(sourceKey(address))
      if (!release) return undefined
      return () => {
        release()
        if (device.idle && devices.get(key) === device) devices.delete(key)
      }
    },
  }
}
