// Limits the password checks that run on one device at once: a device's hash takes its whole core, and a gateway full of
// guessers must not make it unusable for its owner. Checks beyond the limit queue, and sources take turns.
import { FairSemaphore } from '@bowline/base/fair-semaphore'
import { sourceKey } from '../../platform/network/address.ts'

const MAX_CONCURRENT = 4
const MAX_WAITING = 64

export interface DeviceChecks {
  /**
   * Waits for a permit to check a password on the device.
   * @param address of the client
   * @returns releases the permit; undefined when too many wait
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
