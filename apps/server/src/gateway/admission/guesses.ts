// Limits the wrong passwords of one source, per account and per device. What counts is what was wrong, so people and
// programs that know the password never notice; and as long as verdicts are outstanding, only as many attempts run as
// could still all be wrong. Counted by the name that was given: whether there is such a device makes no difference.
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import { sourceKey } from '../../platform/network/address.ts'

/** Wrong passwords at once and then each minute: for one account, and for all accounts of a device. */
const ACCOUNT = { atOnce: 6, perMinute: 6 }
const DEVICE = { atOnce: 30, perMinute: 30 }

export interface Guesses {
  /**
   * Waits until the attempt may be judged.
   * @param device name of the device as given
   * @returns to be told whether the password was wrong, exactly once; undefined when the source has guessed too often
   */
  begin(address: string, device: string, user: string): Promise<((wrong: boolean) => void) | undefined>
}

interface Bucket {
  /** Attempts that run or wait. */
  users: number
  /** Attempts without a verdict. */
  running: number
  waiting: (() => void)[]
}

/** @returns what waits for a turn under a key, as {@link Guesses.begin} does */
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
    // Each that runs may turn out to be wrong.
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
