// Equalises the time of refusals. The response time would disclose whether a device exists and is online, so a refusal is
// sent after a whole number of steps.
import type { AuthDecision } from '@bowline/ssh/api'
import type { Clock } from '@bowline/base/clock'

/** Of a password, in milliseconds: more than a device takes to check one. */
export const REFUSAL_STEP_MS = 1_000
/** For keys, in milliseconds: longer than a database lookup, and short because clients offer several keys in a row. */
export const KEY_STEP_MS = 25

/** Delays a refusal until a whole number of steps has passed since the call; other decisions are not delayed. */
export async function paced(clock: Clock, judging: Promise<AuthDecision>, stepMs: number): Promise<AuthDecision> {
  const since = clock.now()
  const decision = await judging
  if (decision.result !== 'reject') return decision
  const left = stepMs - ((clock.now() - since) % stepMs)
  return new Promise((resolve) => void clock.after(left, () => resolve(decision)))
}
