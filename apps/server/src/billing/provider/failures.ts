// Failures of Stripe as errors of the catalogue. Stripe's texts for people are passed on, nothing else of its answers.
import { BowlineError } from '@bowline/contract/errors'
import { Stripe } from 'stripe'

/** Longest text of Stripe that is passed on. */
const MAX_TEXT = 200

/** Runs a call of Stripe. @throws {BowlineError} DEPENDENCY_FAILED, CARD_REFUSED, NOT_FOUND */
export async function asking<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw toBowlineError(error)
  }
}

/** True when Stripe says that the object does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing'
}

function toBowlineError(error: unknown): unknown {
  if (error instanceof BowlineError || !(error instanceof Stripe.errors.StripeError)) return error
  const reason = error.message
    .replaceAll(/\p{C}+/gu, ' ')
    .slice(0, MAX_TEXT)
    .replace(/\.$/, '')
  const cause = { cause: error }
  // A card that is refused, or that its bank wants to ask its owner about.
  if (error instanceof Stripe.errors.StripeCardError) return new BowlineError('CARD_REFUSED', { reason }, [], cause)
  if (isMissing(error) && error.param === 'payment_method') {
    return new BowlineError('NOT_FOUND', { what: 'The payment method' }, [], cause)
  }
  if (error instanceof Stripe.errors.StripeInvalidRequestError) {
    return new BowlineError('DEPENDENCY_FAILED', { reason }, [], cause)
  }
  // Texts of these are about the key or the connection, which are the operator's.
  const why =
    error instanceof Stripe.errors.StripeConnectionError
      ? 'it cannot be reached'
      : error instanceof Stripe.errors.StripeRateLimitError
        ? 'it is busy'
        : 'it refused the request'
  return new BowlineError('DEPENDENCY_FAILED', { reason: why }, [], cause)
}
