// Limits the password checks that run on one device at once: a device's hash takes its whole core, and a gateway full of
// guessers must not make it unusable for its owner. Checks beyond the limit queue, in order, and never many.
import { Semaphore } from '@bowline/base/semaphore'

const CHECKS_AT_ONCE = 4
const CHECKS_WAITING = 64

export interface DeviceChecks {
  /**
   * Waits for a permit to check a password on the device.
   * @returns releases the permit; undefined at once when too many wait already
   */
  acquire(uid: string): Promise<() => void> | undefined
}

export function createDeviceChecks(): DeviceChecks {
  const devices = new Map<string, Semaphore>()
  return {
    acquire(uid) {
      const device = devices.get(uid) ?? new Semaphore(CHECKS_AT_ONCE, CHECKS_WAITING)
      devices.set(uid, device)
      return device.acquire()?.then((release) => () => {
        release()
        if (device.idle && devices.get(uid) === device) devices.delete(uid)
      })
    },
  }
}
