// Limits wrong passwords of one source, per account and per device. Only wrong ones count, so people and programs that
// know the password are never limited; while verdicts are pending, only as many attempts run as the limit allows if all
// are wrong. Counted by the name as given, whether or not the device exists.
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import { sourceKey } from '../../platform/network/address.ts'

/** Burst and rate per minute of wrong passwords: for one account, and for all accounts of a device. */
const ACCOUNT = { atOnce: 6, perMinute: 6 }
const DEVICE = { atOnce: 30, perMinute: 30 }

export interface Guesses {
  /**
   * Waits until the attempt may run.
   * @param device name of the device as given
   * @returns reports once whether the password was wrong; undefined when the source has guessed too often
   */
  begin(address: string, device: string, user: string): Promise<((wrong: boolean) => void) | undefined>
}

interface Bucket {
  /** Running and waiting attempts. */
  users: number
  /** Attempts without a verdict. */
  running: number
  waiting: (() => void)[]
}

/** Limits attempts by key. @returns a function like {@link Guesses.begin} */
function createGate(clock: Clock, { atOnce, perMinute }: typeof ACCOUNT) {
  const wrong = new RateLimiter(clock, { perSecond: perMinute / 60, burst: atOnce })
  const buckets = new Map<string, Bucket>()
  return async function enter(key: string): Promise<((wasWrong: boolean) => void) | undefined> {
    const bucket = buckets.get(key) ?? { users: 0, running: 0, waiting: [] }
    buckets.set(key, bucket)
    bucket.users += 1
    const leave = (): void => {
      bucket.users -= 1
      if (bucket.users === 0) buckets.delete(key)
    }
    // Every running attempt may turn out to be wrong.
    while (wrong.left(key) - bucket.running < 1) {
      if (bucket.running === 0) {
        leave()
        return undefined
      }
      await new Promise<void>((resolve) => bucket.waiting.push(resolve))
    }
    bucket.running += 1
    return (wasWrong) => {
      bucket.running -= 1
      if (wasWrong) wrong.take(key)
      leave()
      const { waiting } = bucket
      bucket.waiting = []
      for (const wake of waiting) wake()
    }
  }
}

export function createGuesses(clock: Clock): Guesses {
  const accounts = createGate(clock, ACCOUNT)
  const devices = createGate(clock, DEVICE)
  return {
    async begin(address, device, user) {
      const source = `${sourceKey(address)} ${device.toLowerCase()}`
      const account = await accounts(`${source} ${user}`)
      if (!account) return undefined
      const whole = await devices(source)
      if (!whole) {
        account(false)
        return undefined
      }
      return (wrong) => {
        account(wrong)
        whole(wrong)
      }
    },
  }
}
