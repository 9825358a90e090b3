// Limits concurrent password checks per device: hashing takes a whole core of the device, and password guessing must not
// make it unusable for its owner. Checks above the limit queue, served round-robin by source.
import { FairSemaphore } from '@bowline/base/fair-semaphore'
import { sourceKey } from '../../platform/network/address.ts'

const MAX_CONCURRENT = 4
const MAX_WAITING = 64

export interface DeviceChecks {
  /**
   * Acquires a permit to check a password on the device.
   * @param address of the client
   * @returns release; undefined when too many wait
   */
  acquire(uid: string, address: string): Promise<(() => void) | undefined>
}

export function createDeviceChecks(): DeviceChecks {
  const devices = new Map<string, FairSemaphore>()
  return {
    async acquire(uid, address) {
      const device = devices.get(uid) ?? new FairSemaphore(MAX_CONCURRENT, MAX_WAITING)
      devices.set(uid, device)
      const release = await device.acquire(sourceKey(address))
      if (!release) return undefined
      return () => {
        release()
        if (device.idle && devices.get(uid) === device) devices.delete(uid)
      }
    },
  }
}
