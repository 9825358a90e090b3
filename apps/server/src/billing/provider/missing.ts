// Servers without a payment provider. Apart from the provider, whose library is loaded only where there is one.
import { fail } from '@bowline/contract/errors'

/** @throws {BowlineError} DEPENDENCY_FAILED, on a server that has no provider */
export function noProvider(): never {
  return fail('DEPENDENCY_FAILED', { reason: 'this server has none (BOWLINE_STRIPE_SECRET_KEY)' })
}
