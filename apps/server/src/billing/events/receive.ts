// Takes the provider's events: checked, stored, answered. What follows from them comes later and survives a crash.
import { fail } from '@bowline/contract/errors'
import type { BillingDeps } from '../deps.ts'
import { noProvider } from '../provider/missing.ts'
import { insertEvent } from './store.ts'

/**
 * @param text body as it came
 * @param signature value of `Stripe-Signature`
 * @param stored called when the event was new
 * @throws {BowlineError} INVALID_INPUT for a signature that does not match
 */
export async function receiveEvent(
  deps: BillingDeps,
  { text, signature }: { text: string; signature: string | undefined },
  stored: () => void,
): Promise<void> {
  const provider = deps.provider ?? noProvider()
  const now = deps.clock.now()
  const event = signature === undefined ? undefined : provider.readEvent(text, signature, now)
  if (!event) {
    return fail('INVALID_INPUT', { field: 'Stripe-Signature', rule: 'must sign this body, less than five minutes ago' })
  }
  if (await insertEvent(deps.system, event, new Date(now))) stored()
}
