// Limits wrong passwords of one source, per account and per device. Only wrong ones count, so people and programs that
// know the password are never limited; while verdicts are pending, only as many attempts run as the limit allows if all
// are wrong. Of several nodes each counts what it judges, and asks what all have counted. Counted by the name as given, whether or not the device exists.
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import type { Rate, Rates } from '../../budgets/rates.ts'
import { sourceKey } from '../../platform/network/address.ts'

/** Burst and rate per minute of wrong passwords: for one account, and for all accounts of a device. */
const ACCOUNT: Rate = { name: 'password-of-account', perSecond: 6 / 60, burst: 6 }
const DEVICE: Rate = { name: 'password-of-device', perSecond: 30 / 60, burst: 30 }

/** Nodes that ask at the same moment all find a token: what they let through beyond the burst is owed, up to so many bursts. */
const MAX_DEBT = 20

export interface Guesses {
  /**
   * Waits until the attempt may run.
   * @param device name of the device as given
   * @returns reports once whether the password was wrong, and resolves when every node knows; undefined when the source
   *   has guessed too often
   */
  begin(address: string, device: string, user: string): Promise<((wrong: boolean) => Promise<void>) | undefined>
}

interface Bucket {
  /** Running and waiting attempts. */
  users: number
  /** Attempts without a verdict. */
  running: number
  waiting: (() => void)[]
}

/** Limits attempts by key. @returns a function like {@link Guesses.begin} */
function createGate(clock: Clock, rate: Rate, shared: Rates | undefined) {
  const wrong = new RateLimiter(clock, rate)
  const withDebt = { ...rate, burst: rate.burst * MAX_DEBT }
  const buckets = new Map<string, Bucket>()
  return async function enter(key: string): Promise<((wasWrong: boolean) => Promise<void>) | undefined> {
    if (shared && !(await shared.has(rate, key))) return undefined
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
    return async (wasWrong) => {
      bucket.running -= 1
      if (wasWrong) wrong.take(key)
      leave()
      const { waiting } = bucket
      bucket.waiting = []
      for (const wake of waiting) wake()
      // While it cannot be counted for all, what is counted here limits the source.
      if (wasWrong) await shared?.take(withDebt, key).catch(() => false)
    }
  }
}

/** @param shared counts wrong passwords over all nodes; undefined for a server that runs by itself */
export function createGuesses(clock: Clock, shared?: Rates): Guesses {
  const accounts = createGate(clock, ACCOUNT, shared)
  const devices = createGate(clock, DEVICE, shared)
  return {
    async begin(address, device, user) {
      const source = `${sourceKey(address)} ${device.toLowerCase()}`
      const account = await accounts(`${source} ${user}`)
      if (!account) return undefined
      const whole = await devices(source)
      if (!whole) {
        await account(false)
        return undefined
      }
      return async (wrong) => {
        await Promise.all([account(wrong), whole(wrong)])
      }
    },
  }
}
