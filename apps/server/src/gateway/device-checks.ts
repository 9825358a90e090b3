// How many password checks may run on one device at once: a device's hash takes its whole core, and a gateway full of
// guessers must not make it unusable for its owner. Checks beyond that wait their turn, in order, and never many.

const AT_ONCE = 4
const WAITING = 64

export interface DeviceChecks {
  /**
   * Waits for a turn on the device.
   * @returns gives the turn back, when it has come; or undefined at once when too many wait already
   */
  take(uid: string): Promise<() => void> | undefined
}

interface Device {
  running: number
  readonly waiting: (() => void)[]
}

export function createDeviceChecks(): DeviceChecks {
  const devices = new Map<string, Device>()

  /** A turn that has come; a turn given back passes to the one that waits longest. */
  function turn(uid: string, device: Device): () => void {
    let held = true
    return () => {
      if (!held) return
      held = false
      const next = device.waiting.shift()
      if (next) return next()
      device.running -= 1
      if (device.running === 0) devices.delete(uid)
    }
  }

  return {
    take(uid) {
      const device = devices.get(uid) ?? { running: 0, waiting: [] }
      devices.set(uid, device)
      if (device.running < AT_ONCE) {
        device.running += 1
        return Promise.resolve(turn(uid, device))
      }
      if (device.waiting.length >= WAITING) return undefined
      return new Promise((resolve) => device.waiting.push(() => resolve(turn(uid, device))))
    },
  }
}
