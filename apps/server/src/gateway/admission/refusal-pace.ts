// Equalises the time of refusals. How long it took to find out would tell whether there is such a device, and whether
// it is online, so a refusal leaves after a whole number of steps.
import type { AuthDecision } from '@bowline/ssh/api'
import type { Clock } from '@bowline/base/clock'

/** Of a password, in milliseconds: more than a device takes to check one. */
export const REFUSAL_STEP_MS = 1_000
/** Of a key, in milliseconds: more than the database takes to look one up, and clients offer several keys in a row. */
export const KEY_STEP_MS = 25

/** Holds a refusal back until a whole number of steps has passed since the call; every other decision passes at once. */
export async function paced(clock: Clock, judging: Promise<AuthDecision>, stepMs: number): Promise<AuthDecision> {
  const since = clock.now()
  const decision = await judging
  if (decision.result !== 'reject') return decision
  const left = stepMs - ((clock.now() - since) % stepMs)
  return new Promise((resolve) => void clock.after(left, () => resolve(decision)))
}
