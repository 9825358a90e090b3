// Limits concurrent password checks per device: hashing takes a whole core of the device, and password guessing must not
// make it unusable for its owner. Checks above the limit queue, served round-robin by source. A name without a device has
// the same queue, and holds each guess for as long as a recent check on some device took: neither a slow check nor a long
// queue discloses that there is a device.
import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '@bowline/base/clock'
import { Semaphore } from '@bowline/base/semaphore'
import { sourceKey } from '../../platform/network/address.ts'
import type { Credential } from './credential.ts'

const MAX_CONCURRENT = 4
const MAX_WAITING = 64
/** Times of checks that are remembered, of each kind of work. */
const MAX_TIMES = 64
/** Longer checks are not imitated, in milliseconds: the device did not answer. */
const MAX_TIME_MS = 5_000

/** Kinds of work that a device does for a login; each has its own permits, as devices limit them separately. */
export type DeviceWork = 'password' | 'conversation' | 'answer'

export interface DeviceChecks {
  /**
   * Waits for a permit to let the device work.
   * @param address of the client
   * @returns release; undefined when too many wait
   */
  acquire(uid: string, work: DeviceWork, address: string): Promise<(() => void) | undefined>
  /**
   * Takes as long as a device would to refuse a credential.
   * @param name that the client used; must not be the uid of a device that checks
   * @param signal aborted when the client has left
   */
  imitate(name: string, credential: Credential, address: string, signal: AbortSignal): Promise<void>
}

export function createDeviceChecks(clock: Clock): DeviceChecks {
  const devices = new Map<string, Semaphore>()
  const times: Record<DeviceWork, number[]> = { password: [], conversation: [], answer: [] }
  const secret = randomBytes(32)

  async function acquire(key: string, address: string, signal?: AbortSignal): Promise<(() => void) | undefined> {
    const device = devices.get(key) ?? new Semaphore(MAX_CONCURRENT, MAX_WAITING)
    devices.set(key, device)
    const release = await device.acquire(sourceKey(address), signal)
    if (!release) return undefined
    return () => {
      release()
      if (device.idle && devices.get(key) === device) devices.delete(key)
    }
  }

  /** Duration of a recent check. By hash of the name, so that a name keeps to one while it is remembered. */
  function timeOf(name: string, work: DeviceWork): number {
    const known = times[work]
    return known[createHmac('sha256', secret).update(name).digest().readUInt32BE() % known.length] ?? 0
  }

  return {
    async acquire(uid, work, address) {
      const release = await acquire(`${uid} ${work}`, address)
      if (!release) return undefined
      const since = clock.monotonic()
      return () => {
        const time = clock.monotonic() - since
        if (time <= MAX_TIME_MS && times[work].push(time) > MAX_TIMES) times[work].shift()
        release()
      }
    },
    async imitate(name, { method }, address, signal) {
      const works: DeviceWork[] = method === 'password' ? ['password'] : ['conversation', 'answer']
      for (const work of works) {
        // Never the key of a device's permits: a uid has no space.
        const release = await acquire(`no device ${name} ${work}`, address, signal)
        if (!release) return
        await passed(clock, timeOf(name, work), signal).finally(release)
      }
    },
  }
}

function passed(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0 || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    signal.addEventListener('abort', done)
  })
}
